package finding

import (
	"fmt"
	"slices"
	"strings"
)

// readMeanings reads the text of [NewRegistry]. Line ends may be those of Windows, where git writes them.
func readMeanings(text string, others []*Registry) (all []Meaning) {
	var last *string // what a line of four blanks continues
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		more, continues := strings.CutPrefix(line, "    ")
		field, isField := strings.CutPrefix(line, "  ")
		switch {
		case line == "" || line[0] == '#':
			last = nil
		case continues:
			if last == nil {
				panic(fmt.Sprintf("finding: %q continues no text", line))
			}
			*last += " " + more
		case isField:
			if len(all) == 0 {
				panic(fmt.Sprintf("finding: %q is of no code", line))
			}
			last = all[len(all)-1].read(field)
		default:
			all, last = append(all, meaningOf(line, others)), nil
		}
	}
	return all
}

// meaningOf reads the line of a code: "CODE SEVERITY [or MILDER] [certain]", or the code of another registry alone.
func meaningOf(line string, others []*Registry) Meaning {
	words := strings.Fields(line)
	m := Meaning{Code: Code(words[0])}
	if len(words) == 1 {
		for _, r := range others {
			if r.Known(m.Code) {
				return *r.About(m.Code)
			}
		}
	}
	if words[len(words)-1] == "certain" {
		m.Certain, words = true, words[:len(words)-1]
	}
	if len(words) == 4 && words[2] == "or" {
		m.Milder, words = Severity(words[3]), words[:2]
	}
	if len(words) != 2 || !isSeverity(words[1]) || m.Milder != "" && !isSeverity(string(m.Milder)) {
		panic(fmt.Sprintf("finding: %q: want CODE SEVERITY [or SEVERITY] [certain], or a code of another registry", line))
	}
	m.Severity = Severity(words[1])
	return m
}

func isSeverity(text string) bool { return slices.Contains(Severities(), Severity(text)) }

// read reads a line about a code, and returns the text that the next line may continue.
func (m *Meaning) read(line string) *string {
	name, text, _ := strings.Cut(line, ": ")
	switch name {
	case "shown":
		m.Shown = strings.Split(text, ", ")
		return nil
	case "mistake":
		words := strings.SplitN(text, " ", 3)
		if len(words) < 3 {
			panic(fmt.Sprintf("finding: %q: want mistake: COMMIT DATE SUBJECT", line))
		}
		m.Mistakes = append(m.Mistakes, Mistake{Commit: words[0], Date: words[1], Subject: words[2]})
		return &m.Mistakes[len(m.Mistakes)-1].Subject
	}
	to := map[string]*string{"rule": &m.Rule, "effect": &m.Effect, "repair": &m.Repair, "not shown": &m.NotShown}
	if len(m.Mistakes) > 0 {
		to["found"] = &m.Mistakes[len(m.Mistakes)-1].Found
	}
	if to[name] == nil || *to[name] != "" || text == "" {
		panic(fmt.Sprintf("finding: %q of %s: want rule, effect, repair, shown, not shown, mistake or its found, with a text, "+
			"each once", line, m.Code))
	}
	*to[name] = text
	return to[name]
}
