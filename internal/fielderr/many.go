package fielderr

import (
	"fmt"
	"strings"
)

// MostShown is how many complaints the text of an error has: nobody reads more, and a generated file may have a fault
// in each of its rows.
const MostShown = 50

// Rest is a number of complaints that were counted and not kept. A [List] counts each of them.
type Rest int

// Error prints the number.
func (r Rest) Error() string { return fmt.Sprintf("and %d more", int(r)) }

// tooMany is a list that is too long to print.
type tooMany struct{ list List }

// Error prints the first complaints, one per line, then the number of the others and the number of all.
func (m *tooMany) Error() string {
	var b strings.Builder
	shown, total := 0, m.list.Total()
	for _, err := range m.list {
		if _, rest := err.(Rest); rest || shown == MostShown {
			continue
		}
		shown++
		b.WriteString(err.Error() + "\n")
	}
	fmt.Fprintf(&b, "%v: %d complaints in all", Rest(total-shown), total)
	return b.String()
}

// Unwrap returns the complaints that were kept.
func (m *tooMany) Unwrap() []error { return m.list }

// InLine returns an error whose text has all complaints in one line, or nil without complaints. It is for what is wrong
// with one line of a file, which may have thousands of such lines.
func (l List) InLine() error {
	if len(l) == 0 {
		return nil
	}
	return inLine{l}
}

type inLine struct{ list List }

// Error joins the complaints.
func (e inLine) Error() string { return strings.Join(e.list.Texts(), "; ") }

// Unwrap returns the complaints.
func (e inLine) Unwrap() []error { return e.list }

// Join returns the errors as [List.Err] does: the text of a long list ends with the number of those that it leaves out.
func Join(errs ...error) error {
	var l List
	for _, err := range errs {
		l.Join(err)
	}
	return l.Err()
}

// Names lists names that are accepted, at most twelve of them, for a complaint.
func Names(names []string) string {
	const most = 12
	var b strings.Builder
	for i, name := range names {
		if i == most {
			fmt.Fprintf(&b, ", %v", Rest(len(names)-most))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		short := shorten(name)
		if b.WriteString(Line(short)); len(short) < len(name) {
			b.WriteString("...")
		}
	}
	return b.String()
}
