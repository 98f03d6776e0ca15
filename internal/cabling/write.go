package cabling

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
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
	for _, list := range []struct {
		key  string
		host bool
	}{{"hosts", true}, {"switches", false}} {
		if list.host && l.Hosts() == 0 {
			continue
		}
		b.WriteString(list.key + ":\n")
		if !list.host && l.Switches() == 0 {
			return nil, errors.New("all nodes are hosts (want at least one switch)")
		}
		for _, n := range l.nodes {
			if n.host != list.host {
				continue
			}
			why := n.why
			if n.role != "" && why == "" {
				why = "role " + n.role
			}
			if why != "" {
				why += ", "
			}
			fmt.Fprintf(&b, "  - %s # %s\n", scalar(n.name), fielderr.Line(why+n.from.String()))
		}
	}
	b.WriteString("cables:\n")
	for _, c := range l.alike() {
		var from []string
		for _, p := range c.from {
			from = append(from, p.String())
		}
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
		fmt.Fprintf(&b, "} # %s\n", fielderr.Line(strings.Join(from, ", ")))
	}
	return []byte(b.String()), nil
}

// several are cables that a file cannot tell apart.
type several struct {
	*cable
	count int
}

// alike joins the cables between two nodes that have no names of ports: the file of a fabric gives their number.
func (l *List) alike() (out []several) {
	at := map[[2]End]int{}
	for _, c := range l.cables {
		key := c.ends
		if key[1].Node < key[0].Node {
			key[0], key[1] = key[1], key[0]
		}
		if i, known := at[key]; known && key[0].Port == "" && key[1].Port == "" {
			out[i].count++
			continue
		}
		at[key] = len(out)
		out = append(out, several{c, 1})
	}
	return out
}

// scalar is a text as YAML: plain where it is made of letters, digits and a few signs, and no number.
func scalar(text string) string {
	plain := text != "" && strings.IndexFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-/", r)
	}) < 0
	first := text[:min(1, len(text))]
	switch strings.ToLower(text) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		plain = false
	}
	if plain && strings.ToLower(first) >= "a" && strings.ToLower(first) <= "z" {
		return text
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a text has a form in JSON
	}
	return string(quoted)
}
