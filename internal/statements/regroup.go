package statements

// Regroup puts the statements of a text that was pasted without its indentation under the one whose mode they are typed
// in. Within tells whether a statement is typed in the mode that another one opens; flat says that no such statement
// has anything below it in this text, so that its indentation is lost. Opens tells whether a statement that is in no
// mode ends all before it and opens one. What is in no mode stays where it is.
func Regroup(parent *Statement, opens func(*Statement) bool, within func(mode, s *Statement, flat bool) bool) {
	indented := map[string]bool{}
	for _, s := range parent.Under {
		if len(s.Under) > 0 {
			indented[s.Word(0)] = true
			Regroup(s, opens, within)
		}
	}
	var modes []*Statement // the innermost is the last
	kept := parent.Under[:0]
	for _, s := range parent.Under {
		at := len(modes) - 1
		for at >= 0 && !within(modes[at], s, !indented[modes[at].Word(0)]) {
			at--
		}
		switch {
		case at >= 0:
			modes[at].Under = append(modes[at].Under, s)
			modes = append(modes[:at+1], s)
			continue
		case opens(s):
			modes = append(modes[:0], s)
		}
		kept = append(kept, s)
	}
	parent.Under = kept
}
