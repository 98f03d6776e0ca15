package push

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
)

// This file prints the outcome of every register of a plan on one kind of switch: sent
// as planned, sent as a rounded value, or not sent.

// statementSections list the outcome of every register. Registers that are sent as
// planned are listed only if all is true, because a push sends hundreds of them. The order is that of a reader's
// questions: what was sent, what was rounded, what was left out, what else is needed.
func statementSections(s *qos.Compatibility, all bool) []cli.Section {
	sent := cli.Table("sent", "Sent as planned", "register", "planned", "path", "value", "count", "where")
	rounded := cli.Table("rounded", "Sent as a rounded value", "register", "planned", "path", "exact", "sent", "why",
		"count", "where")
	not := cli.Table("not-sent", "Not sent: the target cannot express it", "register", "planned", "lossless", "why",
		"alternative", "count", "where")
	for _, f := range fold(s.Registers) {
		n := f.first
		switch n.Outcome {
		case qos.Sent:
			sent.Row(n.Kind.String(), n.Kind.Text(n.Setting.Value), f.path(), sentAs(n), cli.Count(f.count), f.where())
		case qos.Rounded:
			rounded.Row(n.Kind.String(), n.Kind.Text(n.Setting.Value), f.path(), n.Wanted, sentAs(n), n.Why, cli.Count(f.count),
				f.where())
		default:
			not.Row(n.Kind.String(), n.Kind.Text(n.Setting.Value), neededText(n.Critical), n.Why, cli.Dash(n.Where),
				cli.Count(f.count), f.where())
		}
	}
	if !all {
		sent.Rows = nil
	}
	needs := cli.Table("needed", "Also needed on the switch", "what", "source")
	for _, q := range s.Prerequisites() {
		needs.Row(q.Text, cli.Evidence(q.Evidence))
	}
	return []cli.Section{sent, rounded, not, needs}
}

// sentAs is the value of a leaf with its unit. Weights and DSCPs need no unit. The unit is that of the leaf, which may
// differ from cells.
func sentAs(n qos.RegisterOutcome) string {
	if n.Unit == string(nos.LeafWeight) || n.Unit == string(nos.LeafDSCP) {
		return n.Value
	}
	return n.Value + " " + n.Unit
}

// alike is a set of registers with equal outcomes on several ports, groups or queues. indexes are the groups or
// queues, each once, and ports the ports that have them. first stands for all: its values are theirs, and its port
// and index its own. count is the number of registers.
type alike struct {
	first   qos.RegisterOutcome
	count   int
	indexes []int
	ports   []string
}

// fold merges registers that differ only in the port and in the group or queue. Each result has at least one
// register. The order within a kind is that of the first register.
func fold(numbers []qos.RegisterOutcome) (out []*alike) {
	type likeness struct {
		number qos.RegisterOutcome
		path   string
	}
	var known grouped.By[likeness, alike]
	for _, n := range numbers {
		// Paths that differ in the number of a queue or a priority alone are one. All fields of an outcome are compared, so
		// that registers with another value or reason are another row.
		key := likeness{n, starred(n)}
		// The port's name is replaced and not removed: registers of a port and of the whole chip stay apart.
		key.number.Port, key.number.Index, key.number.Path = strings.Repeat("x", min(1, len(n.Port))), 0, ""
		f := known.Of(key)
		if f.count++; f.count == 1 {
			f.first = n
		}
		f.indexes = grouped.Add(f.indexes, n.Index)
		// The registers of a port stand together, so its name is compared with the last one alone.
		if k := len(f.ports); k == 0 || f.ports[k-1] != n.Port {
			f.ports = append(f.ports, n.Port)
		}
	}
	// By kind, and within a kind in the order of the plan.
	slices.SortStableFunc(known.Keys, func(a, b likeness) int { return int(a.number.Kind) - int(b.number.Kind) })
	for _, f := range known.All() {
		out = append(out, f)
	}
	return out
}

// starred is a path with a star in place of the queue or priority. A path without such a list is returned as it is.
func starred(n qos.RegisterOutcome) string {
	path := n.Path
	// The lists of OpenConfig's qos model whose keys are priorities: queues, scheduler inputs, classifier terms.
	for _, list := range []string{"/queue[name=", "/input[id=", "/term[id="} {
		path = strings.ReplaceAll(path, fmt.Sprintf("%s%d]", list, n.Index), list+"*]")
	}
	return path
}

// path is the path of a register, with stars where it stands for several. A single register keeps its exact path.
func (f *alike) path() string {
	if len(f.indexes) > 1 {
		return starred(f.first)
	}
	return f.first.Path
}

// where names the places of the registers: "3,4 of Ethernet1/1-32", "slices 0,1". It sorts the indexes in place,
// which nothing reads in another order.
func (f *alike) where() string {
	which := cli.Join(f.indexes)
	// A register of a slice has no port, and one of a port no number of a group or queue.
	switch f.first.Kind.Scope() {
	case buffer.SliceScope:
		return "slices " + which
	case buffer.PortScope:
		return buffer.FoldPorts(f.ports)
	default:
		return which + " of " + buffer.FoldPorts(f.ports)
	}
}
