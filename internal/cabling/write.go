package cabling

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
)

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
