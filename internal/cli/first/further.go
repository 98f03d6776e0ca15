package first

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
)

// The bounds of the search behind a first screen. A question admits an intent some 60 times. With 512 ports of eight
// lossless groups each and 64 kinds of links, three entries took 0.3 s beside the 0.06 s of the plan, on two cores.
const (
	mostSearchedPorts = 512
	mostSearchedKinds = 64
)

// further asks how long the cables of the largest entries can be, and how many ports like theirs fit. It asks nothing
// about a plan that does not fit, whose remedies answer both, nor about one that is too large for a first screen. The
// entries with the most ports are asked about, and listed in the order of the file. Each answer is about one entry, all
// else as it is: two answers cannot be had together.
func (x *Plan) further() ([]capacity.Answer, error) {
	if !x.Plan.Fits || x.tooLarge() {
		return nil, nil
	}
	entries := slices.Clone(x.Entries)
	// Of entries with equally many ports the first of the file comes first.
	slices.SortStableFunc(entries, func(a, b capacity.Entry) int { return cmp.Compare(b.Count, a.Count) })
	entries = entries[:min(len(entries), mostEntries)]
	slices.SortFunc(entries, func(a, b capacity.Entry) int { return cmp.Compare(a.First, b.First) })
	return capacity.Ask(x.Intent, entries, capacity.Cable, capacity.Ports)
}

// tooLarge tells whether a search would take longer than a first screen may.
func (x *Plan) tooLarge() bool {
	return x.Plan.PortCount > mostSearchedPorts || len(x.Plan.Sizing.Kinds) > mostSearchedKinds
}

// furtherLines says how far a plan goes. What was not searched is said, with the verb that searches it.
func (x *Plan) furtherLines(answers []report.CapacityAnswer) []string {
	if x.tooLarge() {
		return []string{fmt.Sprintf("- not searched here for more than %d ports or %d kinds of links: cellwarden capacity",
			mostSearchedPorts, mostSearchedKinds)}
	}
	var cables, ports []limited
	for _, a := range answers {
		// further asks two questions, so what is not about cables is about ports.
		if a.Question == string(capacity.Cable) {
			cables = append(cables, longest(&a))
		} else {
			ports = append(ports, x.more(&a))
		}
	}
	out := []string{named("cable", joined(cables)), named("ports", joined(ports))}
	// The other entries are counted, so that nobody takes the list for all of them.
	if n := len(x.Entries) - mostEntries; n > 0 {
		out = append(out, named("", fmt.Sprintf("and %s of ports: cellwarden capacity",
			cli.Plural(n, "more entry", "more entries"))))
	}
	return out
}

// limited is how far something goes, and what refuses more. Several entries are often limited by the same, such as the
// shared headroom of one slice.
type limited struct{ text, why string }

// joined joins answers. A reason that several have stands once. The last of those with one reason has it, so that it
// reads as the reason of all before it.
func joined(all []limited) string {
	var out []string
	for i, a := range all {
		text := a.text
		if i == len(all)-1 || all[i+1].why != a.why {
			text += " (" + a.why + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// longest says how long a cable can be. The length is the longest that still fits, as the file would spell it.
func longest(a *report.CapacityAnswer) limited {
	if a.State == string(capacity.NotAsked) {
		return limited{a.Ports + ": not asked", a.Why}
	}
	return limited{a.Ports + ": up to " + a.Value, "limited by " + limits[a.Limit]}
}

// more says how many more ports of an entry fit. capacity answers how many ports of the kind fit in all; those of the
// entry are taken off.
func (x *Plan) more(a *report.CapacityAnswer) limited {
	// There is no number where not even one port fits, or where the question was not asked.
	if a.ValueN == nil {
		return limited{a.Ports + ": " + a.Value, "limited by " + limits[a.Limit]}
	}
	n := int(*a.ValueN)
	for _, e := range x.Entries {
		if e.Text == a.Ports {
			n -= e.Count
		}
	}
	// Fewer than there are cannot be, as the plan fits; none more is said in words.
	if n <= 0 {
		return limited{a.Ports + ": no more", "limited by " + limits[a.Limit]}
	}
	return limited{fmt.Sprintf("%s: %s more", a.Ports, cli.Count(n)), "limited by " + limits[a.Limit]}
}

// limits are the limits of package capacity in a few words: what refuses one more. package capacity has a sentence for
// each, which is too long for a line with two answers.
var limits = map[string]string{
	"shared_floor":       "the shared floor",
	"pool_size":          "the size of the pool",
	"memory":             "the memory of the chip",
	"shared_headroom":    "the shared headroom pool",
	"chip_port_headroom": "the chip's headroom of a port",
	"chip_pool":          "the chip's largest pool",
	"chip_ports":         "the chip's ports and bandwidth",
	"method":             "the method, which has no number beyond",
	"worst_case":         "the worst case of all groups",
	"range":              "what is accepted at all",
}
