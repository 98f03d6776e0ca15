package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// maxEntries is the largest number of entries whose longest cable is asked for. Switches have few kinds of ports, and a
// page is to be there at once.
const maxEntries = 8

// notAsked says why the page has no longest cables and no answers of capacity; "": it has, or they are not wanted.
func (r *Report) notAsked() string {
	n := len(r.entries())
	if !r.WhatIf || n <= maxEntries {
		return ""
	}
	return fmt.Sprintf("How far the switch goes is not computed here: it has %d runs of ports that are alike, and the "+
		"page asks for at most %d. cellwarden capacity asks for all.", n, maxEntries)
}

// entries splits the ports into runs that are alike, apart from their names and pipes.
func (r *Report) entries() (out []capacity.Entry) {
	ports := r.Intent.Ports
	for first := 0; first < len(ports); {
		like, names := ports[first].Nameless(), []string{}
		for i := first; i < len(ports) && ports[i].Nameless() == like; i++ {
			names = append(names, ports[i].Name)
		}
		out = append(out, capacity.Entry{Text: buffer.FoldPorts(names), First: first, Count: len(names)})
		first += len(names)
	}
	return out
}

// longest asks for the longest cable of each entry, and of all ports alike. It returns nothing for a switch with more
// kinds of ports than are asked about, or whose ports have no cables, and if it is not wanted.
func (r *Report) longest() []capacity.Answer {
	entries := r.entries()
	if !r.WhatIf || len(entries) == 0 || len(entries) > maxEntries {
		return nil
	}
	answers, err := capacity.AskUntil(r.stop, r.Intent, entries, capacity.Cable, capacity.CableAll)
	if err != nil {
		return nil // the plan says what is wrong with the intent
	}
	return slices.DeleteFunc(answers, func(a capacity.Answer) bool { return a.State == capacity.NotAsked })
}

// longestTable lists the longest cables, with what refuses the next step.
func longestTable(answers []capacity.Answer) Table {
	t := Table{Title: "Longest cables, all else as it is", Columns: []string{"ports", "longest", "what refuses more"}}
	for _, a := range answers {
		ports := a.Ports
		if a.Question == capacity.CableAll {
			ports = "all, each with the same length"
		}
		t.Rows = append(t.Rows, []string{ports, a.Value(), refusing(a.Binding)})
	}
	return t
}

// whatIf has the tables of how far the switch goes, and of what other methods say of it.
func (r *Report) whatIf() (out []Table) {
	if entries := r.entries(); len(entries) > 0 && len(entries) <= maxEntries {
		if answers, err := capacity.AskUntil(r.stop, r.Intent, entries); err == nil {
			out = append(out, answersTable(answers, r.Plan.Chip.Cell))
		}
	}
	if t := r.methods(); len(t.Rows) > 0 {
		out = append(out, t)
	}
	return out
}

// answersTable lists the answers to all questions.
func answersTable(answers []capacity.Answer, cell cells.Size) Table {
	t := Table{Title: "How far it goes, each with all else as it is",
		Columns: []string{"question", "ports", "answer", "what refuses more", "without that"}}
	for _, a := range answers {
		if a.State == capacity.NotAsked {
			continue
		}
		next := ""
		if a.Next.Limit != "" && a.NextAmount > 0 {
			next = fmt.Sprintf("%s: %s", a.Question.Text(a.NextAmount), inWords(string(a.Next.Limit)))
		}
		t.Rows = append(t.Rows, []string{questions[a.Question], a.Ports, valueOf(&a, cell), refusing(a.Binding), next})
	}
	return t
}

// valueOf prints an answer, and that of a pool as the cells that it needs.
func valueOf(a *capacity.Answer, cell cells.Size) string {
	if a.Question != capacity.Pool || a.State == capacity.NotAsked || a.State == capacity.NoneFits {
		return a.Value()
	}
	n := cell.Holding(unit.Bytes(a.Amount))
	return fmt.Sprintf("%s cells (%s)", unit.Thousands(n), megabytes(unit.Bytes(a.Amount)))
}

// refusing says what refuses more, in words: "chip ports" where a program reads chip_ports.
func refusing(c capacity.Constraint) string {
	c.Limit = capacity.Limit(inWords(string(c.Limit)))
	return c.String()
}

// inWords is a key as words.
func inWords(key string) string { return strings.ReplaceAll(key, "_", " ") }

// questions are the questions in words.
var questions = map[capacity.Question]string{
	capacity.Cable:     "longest cable of these ports",
	capacity.CableAll:  "longest cable of all ports alike",
	capacity.Ports:     "most ports like these",
	capacity.Classes:   "most lossless priorities",
	capacity.MTU:       "largest MTU of all ports",
	capacity.Pool:      "smallest shared headroom pool",
	capacity.Ratio:     "largest ratio of a pool that holds the worst case",
	capacity.Frame:     "shortest frame that may fill the headroom",
	capacity.Placement: "best placement over the pipes",
}

// methods plans the switch by each method that is made for its chip.
func (r *Report) methods() Table {
	t := Table{Title: "The switch by other methods", Columns: []string{"method", "fits", "headroom of all groups",
		"least shared", "longest cable"}}
	r.ofAllPorts(&t, 2, 3)
	for _, name := range method.Methods() {
		if r.stop() != nil {
			break
		}
		if name == r.Intent.Sizing.Method() || name == (&table.Table{}).Method() ||
			method.MadeFor(name, r.Intent.Chip.Name) != method.FitsChip {
			continue
		}
		sizer, err := method.NewSizer(name, r.Intent.Chip.Name, method.Options{})
		if err != nil {
			continue // it needs parameters that the topology does not have
		}
		c := capacity.Compare(r.Intent, sizer)
		if c.Err != nil {
			continue
		}
		fits := "yes"
		if !c.Fits {
			fits = fmt.Sprintf("no: %d ports refused", c.Refused)
		}
		t.Rows = append(t.Rows, []string{name, fits, unit.Thousands(c.Headroom), unit.Thousands(c.Shared), c.Cable.Value()})
	}
	return t
}
