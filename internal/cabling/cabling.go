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
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
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

// cable is a cable, and what is known of it.
type cable struct {
	ends   [2]End
	speed  unit.BitRate // 0: not given
	length unit.Length  // 0: not given
	count  int          // of alike cables between two nodes, whose ports have no names
	from   []string     // the files that tell it, each with its line
}

// node is a host or a switch.
type node struct {
	name string
	host bool
	why  string // what says that it is a host; "": nothing says more than that it has cables
	role string
	from string
}

// List is the cables and nodes of some files. The zero List is empty.
type List struct {
	nodes  []*node
	cables []*cable
	total  int // of cables
	named  map[string]*node
	at     map[End]*cable       // the cable at a port that has a name
	alike  map[[2]string]*cable // the cables of two nodes whose ports have no names
	notes  []string
	bad    []error
}

// Cables returns the number of cables.
func (l *List) Cables() int { return l.total }

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

// forms are the files that are read. Is tells one by its text.
var forms = []struct {
	name string
	is   func() *regexp.Regexp
	read func(s *source) error
}{
	{"NetBox cables (CSV)", header("side_a_device"), (*source).netbox},
	{"sonic-mgmt links (CSV)", header("StartDevice"), (*source).labLinks},
	{"sonic-mgmt devices (CSV)", header("Hostname"), (*source).labDevices},
	{"minigraph.xml", once.Pattern(`<DeviceMiniGraph`), (*source).minigraph},
	{"a graph (DOT) of PTM or UFM", begins(`(?:strict )?graph`), (*source).dot},
	{"ibnetdiscover", once.Pattern(`(?m)^(?:Switch|Ca)[\t ]`), (*source).ibnetdiscover},
	{"a topology of ns-3", once.Pattern(`^[ \t]*\d{1,18}(?:[ \t]+\d{1,18}){2}[ \t\r]*(?:\n|$)`), (*source).ns3},
	{"a topology of htsim", begins(`Nodes `), (*source).htsim},
	{"the JSON of lldpcli", once.Pattern(`"lldp"`), (*source).lldp},
	{"CONFIG_DB", once.Pattern(`"DEVICE_NEIGHBOR"`), (*source).configDB},
	{"containerlab", key("topology"), (*source).containerlab},
	{"an AVD structured configuration", key("ethernet_interfaces"), (*source).avd},
	{"netlab", key("links"), (*source).netlab},
}

// begins is the first text of a file that is no comment, header a column of its first line, and key a key at the top of
// a YAML or JSON document.
func begins(what string) func() *regexp.Regexp {
	return once.Pattern(`^\s*(?:(?:#|//)[^\n]*\n\s*)*` + what)
}

func header(column string) func() *regexp.Regexp {
	return once.Pattern(`^(?:[^\n]*,)?[ \t]*"?` + column + `"?[ \t\r]*(?:[,\n]|$)`)
}

func key(name string) func() *regexp.Regexp {
	return once.Pattern(`(?m)^(?:` + name + `|[ \t]*"` + name + `"):`)
}

// Read adds the cables of a file. Its form is told by its beginning. The error lists what is wrong with it.
func (l *List) Read(file string, data []byte) error {
	if len(data) > MaxBytes {
		return fmt.Errorf("%s: %d bytes (want at most %d)", file, len(data), MaxBytes)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	var others []string
	for _, f := range forms {
		if !f.is().MatchString(text) {
			others = append(others, f.name)
			continue
		}
		before := len(l.bad)
		if err := f.read(&source{l, file, text}); err != nil {
			return err
		}
		return fielderr.Join(l.bad[before:]...)
	}
	return fmt.Errorf("%s: no list of cables that is known (want %s)", file, strings.Join(others, ", "))
}

// source is a file that is read into a list. Its methods take the number of a line; 0: the file as a whole.
type source struct {
	*List
	file, text string
}

// own is the name of the machine that a file is of: its own without folder and endings.
func (s *source) own() string {
	name, _, _ := strings.Cut(s.file[strings.LastIndexAny(s.file, `/\`)+1:], ".")
	return name
}

// lines yields the lines of the file with their numbers.
func (s *source) lines() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		number := 0
		for line := range strings.Lines(s.text) {
			if number++; !yield(number, strings.TrimRight(line, "\r\n")) {
				return
			}
		}
	}
}

// where names a line for people.
func (s *source) where(line int) string {
	if line == 0 {
		return s.file
	}
	return fmt.Sprintf("%s:%d", s.file, line)
}

// note notes what is left out.
func (s *source) note(line int, format string, args ...any) {
	s.notes = append(s.notes, s.where(line)+": "+fmt.Sprintf(format, args...))
}

// leftOut notes how many things are left out; 0: none.
func (s *source) leftOut(n int, what string) {
	if n > 0 {
		s.note(0, "%d %s left out", n, what)
	}
}

// fail records what is wrong at a line.
func (s *source) fail(line int, format string, args ...any) {
	s.failAt(s.where(line), format, args...)
}

func (l *List) failAt(at, format string, args ...any) {
	l.bad = append(l.bad, fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...)))
}

// cable adds a cable with what the file says of it; 0: nothing.
func (s *source) cable(line int, a, b End, speed unit.BitRate, length unit.Length) {
	s.add(&cable{ends: [2]End{a, b}, speed: speed, length: length, from: []string{s.where(line)}})
}

// is says what a file has for a node, as key and value. It is a host if the value is one of some, in upper or lower
// case: key and value say why.
func (s *source) is(line int, name, key, value string, hosts ...string) *node {
	n := s.node(clean(name), s.where(line))
	if slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, value) }) {
		n.host, n.why = true, strings.TrimSpace(key+" "+value)
	}
	return n
}

// node returns the node of a name, which is a switch as long as nothing says that it is a host.
func (l *List) node(name, at string) *node {
	if n := l.named[name]; n != nil {
		return n
	}
	if !named(name) {
		l.refuse(at, name, "the name of a host or switch")
	}
	n := &node{name: name, from: at}
	if l.named == nil {
		l.named, l.at, l.alike = map[string]*node{}, map[End]*cable{}, map[[2]string]*cable{}
	}
	l.named[name] = n
	l.nodes = append(l.nodes, n)
	return n
}

// refuse records a name that is none.
func (l *List) refuse(at, name, want string) {
	l.failAt(at, "%s (want %s: at most %d characters that print)", fielderr.Quote(name), want, longest)
}

// unclean is what a name of a fabric cannot have.
var unclean = once.Pattern(`[: \t*?\[\]]`)

func clean(name string) string { return unclean().ReplaceAllString(strings.TrimSpace(name), "_") }

// longest is the longest name, in bytes.
const longest = 100

// named tells whether a text can be a name: it is shown in every message about the node or port.
func named(text string) bool {
	return text != "" && len(text) <= longest && utf8.ValidString(text) &&
		strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// add adds a cable. One that is there already, told by its other end, gains what the first file did not give.
func (l *List) add(c *cable) {
	at := c.from[0]
	for i := range c.ends {
		c.ends[i].Node = clean(c.ends[i].Node)
		if e := c.ends[i]; !named(e.Node) || e.Port != "" && !named(e.Port) {
			l.refuse(at, e.String(), "the name of a host or switch, and of its port")
			return
		}
	}
	switch {
	case c.ends[0].Node == c.ends[1].Node:
		// Testers loop ports of one switch. Such a cable is no part of a fabric.
		l.notes = append(l.notes, fmt.Sprintf("%v: a cable of %s to itself is left out", at, c.ends[0].Node))
		return
	case l.total >= MaxCables:
		l.failAt(at, "more than %d cables (want fewer)", MaxCables)
		return
	}
	for i, e := range c.ends {
		l.node(e.Node, at)
		other := l.at[e]
		if e.Port == "" || other == nil {
			continue
		}
		if far := c.ends[1-i]; !other.has(far) {
			l.failAt(at, "%v is cabled to %v here, and to %v at %v (want one cable for a port)", e, far, other.far(e),
				other.from[0])
			return
		}
		// What both files tell of a cable is the same, or one of them does not tell it.
		differ := func(what string, here, there any) {
			l.failAt(at, "%v has %v here and %v at %v (want one %s of a cable)", other.ends[0], here, there, other.from[0], what)
		}
		if other.speed > 0 && c.speed > 0 && other.speed != c.speed {
			differ("speed", c.speed, other.speed)
		}
		if other.length > 0 && c.length > 0 && other.length != c.length {
			differ("length", c.length, other.length)
		}
		l.merge(other, c)
		return
	}
	l.total++
	// The file of a fabric gives the number of cables that it cannot tell apart.
	if a, b := c.ends[0], c.ends[1]; a.Port == "" && b.Port == "" {
		key := [2]string{min(a.Node, b.Node), max(a.Node, b.Node)}
		if same := l.alike[key]; same != nil {
			same.count++
			return
		}
		l.alike[key] = c
	}
	for _, e := range c.ends {
		if e.Port != "" {
			l.at[e] = c
		}
	}
	c.count = 1
	l.cables = append(l.cables, c)
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
	to.speed, to.length = max(to.speed, c.speed), max(to.length, c.length)
	to.from = append(to.from, c.from...)
	for i, e := range to.ends {
		for _, x := range c.ends {
			if e.Port == "" && x.Node == e.Node && x.Port != "" {
				to.ends[i] = x
				l.at[x] = to
			}
		}
	}
}

// Write returns the file of a fabric with the cables and nodes of the list, each with its source. It has no routes: no
// file of cables says how frames go. Without a cable there is nothing to write.
func (l *List) Write() ([]byte, error) {
	if err := fielderr.Join(l.bad...); err != nil {
		return nil, err
	}
	if len(l.cables) == 0 {
		return nil, errors.New("no cable was read (want files with at least one)")
	}
	var b strings.Builder
	b.WriteString("# Cables and nodes as these files have them. Add how frames go, such as:\n" +
		"#   routes: {rule: shortest, between: [leaf*], priority: 3}\n")
	for _, note := range l.notes {
		b.WriteString("# " + fielderr.Line(note) + "\n")
	}
	var lists [2]strings.Builder // the switches, and the hosts
	for _, n := range l.nodes {
		why, at := n.why, 0
		if n.role != "" && why == "" {
			why = "role " + n.role
		}
		if why != "" {
			why += ", "
		}
		if n.host {
			at = 1
		}
		fmt.Fprintf(&lists[at], "  - %s # %s\n", scalar(n.name), fielderr.Line(why+n.from))
	}
	if lists[0].Len() == 0 {
		return nil, errors.New("all nodes are hosts (want at least one switch)")
	}
	if lists[1].Len() > 0 {
		b.WriteString("hosts:\n" + lists[1].String())
	}
	b.WriteString("switches:\n" + lists[0].String() + "cables:\n")
	for _, c := range l.cables {
		fmt.Fprintf(&b, "  - {a: %s, b: %s", scalar(c.ends[0].String()), scalar(c.ends[1].String()))
		if c.count > 1 {
			fmt.Fprintf(&b, ", count: %d", c.count)
		}
		if c.length > 0 {
			fmt.Fprintf(&b, ", length: %v", c.length)
		}
		if c.speed > 0 {
			fmt.Fprintf(&b, ", speed: %v", c.speed)
		}
		fmt.Fprintf(&b, "} # %s\n", fielderr.Line(strings.Join(c.from, ", ")))
	}
	return []byte(b.String()), nil
}

// plain is a text that YAML takes without quotation marks, unless it is one of its words.
var (
	plain = once.Pattern(`^[A-Za-z][A-Za-z0-9._/-]*$`)
	word  = once.Pattern(`^(?i:true|false|null|yes|no|on|off|y|n)$`)
)

// scalar is a text as YAML.
func scalar(text string) string {
	if plain().MatchString(text) && !word().MatchString(text) {
		return text
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text has a form in JSON
	}
	return string(quoted)
}
