// Package registry lists the network operating systems that cellwarden knows, and finds the one of a configuration or
// of a gNMI server:
//
//	system, err := registry.Of(data)
//	if err != nil {
//		return err // of no system that has a reader, or of more than one
//	}
//	reading, err := system.Read("leaf1.cfg", data, audit.Chip{})
//
// What a text is, is known by statements that one system alone has. A text without any of them, and one with statements
// of several, is an error that says what was found. A gNMI server is known by the models that it lists: see
// FindProfile.
//
// A new system is a folder beneath nos and a line in the list of this package.
package registry

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/internal/jsonscan"
	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/fboss"
	"github.com/cellwarden/cellwarden/nos/junos"
	"github.com/cellwarden/cellwarden/nos/nxos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/nos/srlinux"
)

// systems are all systems, a line each. A gNMI server is compared with their profiles in this order: SONiC comes after
// the vendors, whose images of SONiC list models of theirs.
var systems = []nos.System{
	eos.System,
	srlinux.System,
	junos.System,
	iosxr,
	sonic.System,
	nxos.System,
	fboss.System,
	*eos.System.Tool,
}

// System returns a system by its name, or nil.
func System(name string) *nos.System {
	for _, s := range systems {
		if s.Name == name {
			return &s
		}
	}
	return nil
}

// readers lists the names of the systems whose configurations are read.
func readers() []string { return named(func(s nos.System) bool { return s.Read != nil }) }

// Dialects lists the names of the systems that a plan is rendered for.
func Dialects() []string { return named(func(s nos.System) bool { return s.Render != nil }) }

func named(has func(nos.System) bool) []string {
	var out []string
	for _, s := range systems {
		if has(s) {
			out = append(out, s.Name)
		}
	}
	return out
}

// Reader returns the system with a name, whose configurations are read.
func Reader(name string) (*nos.System, error) {
	if s := System(strings.ToLower(name)); s != nil && s.Read != nil {
		return s, nil
	}
	return nil, fmt.Errorf("system %.40q: want %s", name, strings.Join(readers(), ", "))
}

// Choose returns the reader of a system, or, if the name is "", of the system that a configuration is of.
func Choose(name string, data []byte) (*nos.System, error) {
	if name == "" {
		return Of(data)
	}
	return Reader(name)
}

// ErrUnknown says that a text is no configuration of a system that has a reader.
var ErrUnknown = errors.New("the configuration of no system that is known: want CONFIG_DB of SONiC, the agent " +
	"configuration of FBOSS, the running configuration of NX-OS or EOS, the configuration of Junos")

// Of tells which system a configuration is of.
func Of(data []byte) (*nos.System, error) {
	if err := jsonscan.UTF16(data); err != nil {
		return nil, err
	}
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	first, _, _ := bytes.Cut(trimmed, []byte("\n"))
	prompt := statements.IsPrompt(string(first)) // a terminal of Junos, whose first line may begin as JSON does
	if len(trimmed) == 0 || !prompt && (trimmed[0] == '{' || trimmed[0] == '[') {
		return ofJSON(trimmed), nil
	}
	return ofText(trimmed)
}

// ofJSON tells which system a document is of. The last system of the list is asked first, because documents of the
// others may have members of OpenConfig, by which EOS is known. All other JSON is CONFIG_DB: its reader says what it
// accepts.
func ofJSON(data []byte) *nos.System {
	for _, s := range slices.Backward(systems) {
		for _, member := range s.Marks.Members {
			if bytes.Contains(data, []byte(member)) {
				return &s
			}
		}
	}
	return &sonic.System
}

// mostLines is the number of lines that are looked at. Headers are among the first lines of a text.
const mostLines, headerLines = 200_000, 40

// ofText finds the system of a text: that of its header, else the one with the most lines that one system alone has.
// Another system's lines may be in a description or a banner; two systems with nearly the same number are an error.
func ofText(data []byte) (*nos.System, error) {
	headers, own, shared := make([]int, len(systems)), make([]int, len(systems)), make([]int, len(systems))
	lines := 0
	for line := range bytes.Lines(data) {
		if lines++; lines > mostLines || len(line) > 1<<12 {
			continue
		}
		text := strings.TrimRight(string(line), " \t\r\n")
		if n := ofLine(text, func(m nos.Marks) func(string) bool { return m.Header }); n >= 0 && lines <= headerLines {
			headers[n]++
		}
		if n := ofLine(text, func(m nos.Marks) func(string) bool { return m.Line }); n >= 0 {
			own[n]++
		}
		for n := range systems {
			if is := systems[n].Marks.Shared; is != nil && is(text) {
				shared[n]++
			}
		}
	}
	if best, second := most(headers); headers[best] > 0 && headers[second] == 0 {
		return &systems[best], nil
	}
	best, second := most(own)
	switch {
	case own[best] == 0:
		return ofShared(shared)
	case 2*own[second] > own[best]:
		return nil, fmt.Errorf("%d lines are of %s and %d of %s: want a configuration of one system (--system "+
			"says which)", own[best], systems[best].Name, own[second], systems[second].Name)
	}
	return &systems[best], nil
}

// most returns the indices of the largest number and of the largest of the others.
func most(count []int) (best, second int) {
	order := make([]int, len(count))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int { return count[b] - count[a] })
	return order[0], order[1]
}

// ofShared decides about a text whose lines several systems have.
func ofShared(count []int) (*nos.System, error) {
	var names []string
	var one *nos.System
	for n, lines := range count {
		if lines > 0 {
			names, one = append(names, systems[n].Name), &systems[n]
		}
	}
	switch len(names) {
	case 0:
		return nil, ErrUnknown
	case 1:
		return one, nil
	}
	return nil, fmt.Errorf("no line is of one system alone: want --system %s", strings.Join(names, " or "))
}

// ofLine tells the index of the first system with a mark that a line has; -1: none.
func ofLine(line string, mark func(nos.Marks) func(string) bool) int {
	return slices.IndexFunc(systems, func(s nos.System) bool {
		is := mark(s.Marks)
		return is != nil && is(line)
	})
}
