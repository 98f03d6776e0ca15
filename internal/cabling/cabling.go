// Package cabling reads what other tools know of the cables between hosts and switches, and writes it as the file of a
// fabric (docs/fabric.md), each line with its source.
//
//	var l cabling.List
//	err := l.Read("clos.clab.yml", data)
//	text, err := l.Write()
//
// Several files can be parts of one fabric: a cable that both of its ends tell is one cable. Where files contradict
// each other, nothing is written. Files are of other authors: they are bounded, and a mistake is named with its file
// and line.
package cabling

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// MaxBytes is the longest file, and MaxCables the largest number of cables of a list.
const (
	MaxBytes  = 16 << 20
	MaxCables = 500_000
)

// End is one end of a cable. The port is "" where a file gives none.
type End struct{ Node, Port string }

// String is NODE, or NODE:PORT, as the file of a fabric has it.
func (e End) String() string {
	if e.Port == "" {
		return e.Node
	}
	return e.Node + ":" + e.Port
}

// place is where a file says something.
type place struct {
	file string
	line int // 0: the file as a whole
}

func (p place) String() string {
	if p.line == 0 {
		return p.file
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

// cable is a cable, and what is known of it.
type cable struct {
	ends   [2]End
	speed  unit.BitRate // 0: not given
	length unit.Length  // 0: not given
	from   []place
}

// node is a host or a switch.
type node struct {
	name string
	host bool
	why  string // what says that it is a host; "": nothing says more than that it has cables
	role string
	from place
}

// List is the cables and nodes of some files. The zero List is empty.
type List struct {
	nodes  []*node
	cables []*cable
	named  map[string]*node
	at     map[End]*cable // the cable at a port that has a name
	notes  []string
	bad    []error
}

// Cables returns the number of cables, and Notes what was left out, and why.
func (l *List) Cables() int { return len(l.cables) }

// Notes returns what was left out, and why.
func (l *List) Notes() []string { return l.notes }

// Hosts returns the number of hosts, and Switches that of switches.
func (l *List) Hosts() (n int) {
	for _, x := range l.nodes {
		if x.host {
			n++
		}
	}
	return n
}

// Switches returns the number of switches.
func (l *List) Switches() int { return len(l.nodes) - l.Hosts() }

// forms are the files that are read. Is tells one by its beginning.
var forms = []struct {
	name string
	is   func(text string) bool
	read func(l *List, file, text string) error
}{
	{"NetBox cables (CSV)", header("side_a_device"), (*List).netbox},
	{"sonic-mgmt links (CSV)", header("StartDevice"), (*List).labLinks},
	{"sonic-mgmt devices (CSV)", header("Hostname"), (*List).labDevices},
	{"minigraph.xml", contains("<DeviceMiniGraph"), (*List).minigraph},
	{"a graph (DOT) of PTM or UFM", begins("graph", "strict graph"), (*List).dot},
	{"ibnetdiscover", lineBegins("Switch\t", "Ca\t", "Switch ", "Ca "), (*List).ibnetdiscover},
	{"a topology of ns-3", numbers, (*List).ns3},
	{"a topology of htsim", begins("Nodes "), (*List).htsim},
	{"the JSON of lldpcli", contains(`"lldp"`), (*List).lldp},
	{"CONFIG_DB", contains(`"DEVICE_NEIGHBOR"`), (*List).configDB},
	{"containerlab", key("topology"), (*List).containerlab},
	{"an AVD structured configuration", key("ethernet_interfaces"), (*List).avd},
	{"netlab", key("links"), (*List).netlab},
}

// Forms lists the files that are read.
func Forms() (out []string) {
	for _, f := range forms {
		out = append(out, f.name)
	}
	return out
}

// Read adds the cables of a file. Its form is told by its beginning. The error lists what is wrong with it.
func (l *List) Read(file string, data []byte) error {
	if len(data) > MaxBytes {
		return fmt.Errorf("%s: %d bytes (want at most %d)", file, len(data), MaxBytes)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	for _, f := range forms {
		if !f.is(text) {
			continue
		}
		before := len(l.bad)
		if err := f.read(l, file, text); err != nil {
			return err
		}
		return fielderr.Join(l.bad[before:]...)
	}
	return fmt.Errorf("%s: no list of cables that is known (want %s)", file, strings.Join(Forms(), ", "))
}

// begins tells whether the first text of a file is one of some.
func begins(words ...string) func(string) bool {
	return func(text string) bool {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") {
				continue
			}
			return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(line, w) })
		}
		return false
	}
}

// lineBegins tells whether a line begins with one of some words.
func lineBegins(words ...string) func(string) bool {
	return func(text string) bool {
		for line := range strings.Lines(text) {
			if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(line, w) }) {
				return true
			}
		}
		return false
	}
}

// header tells whether the first line has a column.
func header(column string) func(string) bool {
	return func(text string) bool {
		first, _, _ := strings.Cut(text, "\n")
		for part := range strings.SplitSeq(first, ",") {
			if strings.Trim(strings.TrimSpace(part), `"`) == column {
				return true
			}
		}
		return false
	}
}

func contains(part string) func(string) bool {
	return func(text string) bool { return strings.Contains(text, part) }
}

// key tells whether a YAML document has a key at its top.
func key(name string) func(string) bool {
	return func(text string) bool {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, name+":") || strings.HasPrefix(strings.TrimSpace(line), `"`+name+`":`) {
				return true
			}
		}
		return false
	}
}

// fail records what is wrong at a place.
func (l *List) fail(at place, format string, args ...any) {
	l.bad = append(l.bad, fmt.Errorf("%v: %s", at, fmt.Sprintf(format, args...)))
}

// node returns the node of a name, which is a switch as long as nothing says that it is a host.
func (l *List) node(name string, at place) *node {
	if n := l.named[name]; n != nil {
		return n
	}
	if !named(name) {
		l.fail(at, "%s (want the name of a host or switch: at most %d characters that print)", fielderr.Quote(name), longest)
	}
	n := &node{name: name, from: at}
	if l.named == nil {
		l.named, l.at = map[string]*node{}, map[End]*cable{}
	}
	l.named[name] = n
	l.nodes = append(l.nodes, n)
	return n
}

// host says that a node is a host.
func (l *List) host(name, why string, at place) {
	n := l.node(name, at)
	n.host, n.why = true, why
}

// clean replaces what a name of a fabric cannot have.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(": \t*?[]", r) {
			return '_'
		}
		return r
	}, strings.TrimSpace(name))
}

// longest is the longest name, in bytes.
const longest = 100

// named tells whether a text can be a name: it is shown in every message about the node or port.
func named(text string) bool {
	return text != "" && len(text) <= longest && utf8.ValidString(text) &&
		strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// add adds a cable. One that is there already, told by its other end, gains what the first file did not give.
func (l *List) add(c cable) {
	at := c.from[0]
	for i := range c.ends {
		c.ends[i].Node = clean(c.ends[i].Node)
		if e := c.ends[i]; !named(e.Node) || e.Port != "" && !named(e.Port) {
			l.fail(at, "%s (want the name of a host or switch, and of its port: at most %d characters that print)",
				fielderr.Quote(e.String()), longest)
			return
		}
	}
	switch {
	case c.ends[0].Node == c.ends[1].Node:
		// Testers loop ports of one switch. Such a cable is no part of a fabric.
		l.notes = append(l.notes, fmt.Sprintf("%v: a cable of %s to itself is left out", at, c.ends[0].Node))
		return
	case len(l.cables) >= MaxCables:
		l.fail(at, "more than %d cables (want fewer)", MaxCables)
		return
	}
	for i, e := range c.ends {
		l.node(e.Node, at)
		other := l.at[e]
		if e.Port == "" || other == nil {
			continue
		}
		if far := c.ends[1-i]; !other.has(far) {
			l.fail(at, "%v is cabled to %v here, and to %v at %v (want one cable for a port)", e, far, other.far(e),
				other.from[0])
			return
		}
		l.merge(other, &c)
		return
	}
	for _, e := range c.ends {
		if e.Port != "" {
			l.at[e] = &c
		}
	}
	l.cables = append(l.cables, &c)
}

// has tells whether a cable has an end; one without a port is any port of its node.
func (c *cable) has(e End) bool {
	return slices.ContainsFunc(c.ends[:], func(x End) bool {
		return x.Node == e.Node && (x.Port == e.Port || x.Port == "" || e.Port == "")
	})
}

// far returns the other end.
func (c *cable) far(e End) End {
	if c.ends[0] == e {
		return c.ends[1]
	}
	return c.ends[0]
}

// merge adds to a cable what another file tells of it.
func (l *List) merge(to, c *cable) {
	at := c.from[0]
	if to.speed > 0 && c.speed > 0 && to.speed != c.speed {
		l.fail(at, "%v has %v here and %v at %v (want one speed of a cable)", to.ends[0], c.speed, to.speed, to.from[0])
	}
	if to.length > 0 && c.length > 0 && to.length != c.length {
		l.fail(at, "%v has %v here and %v at %v (want one length of a cable)", to.ends[0], c.length, to.length, to.from[0])
	}
	to.speed, to.length = max(to.speed, c.speed), max(to.length, c.length)
	to.from = append(to.from, at)
	for i, e := range to.ends {
		for _, x := range c.ends {
			if e.Port == "" && x.Node == e.Node && x.Port != "" {
				to.ends[i] = x
				l.at[x] = to
			}
		}
	}
}

// errTooDeep is the refusal of a document with more levels than any of these files has.
var errTooDeep = errors.New("more than 64 levels (want fewer)")
