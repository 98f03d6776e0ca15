// Package fielderr collects everything that is wrong with an input, so that its author can mend all of it in one go:
// the place of each wrong value, the value, and what is accepted in its place.
//
//	var bad fielderr.List
//	bad.Check(p.Name != "", "name", `""`, "a name")
//	bad.Within("slices", int64(p.Slices), 1, 16)
//	return bad.Err()
//
// A [List] is for one function that checks a value. A function that checks a part of the value returns errors of its
// own; [List.Under] puts the path of the part in front of each. A package whose errors have a type of their own makes
// them of [List.Complaints] or [List.Texts].
package fielderr

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Complaint is one thing that is wrong. Only Value is always there.
type Complaint struct {
	Path     string // the place of the value: "classes[0].alpha"; "": Value says it
	Value    string // the value that was found
	Accepted string // what is accepted there; "": Value says it
}

// Error prints the complaint as errors of functions do: "slices: 17 (want 1 to 16)".
func (c Complaint) Error() string {
	text := c.Value
	if c.Path != "" {
		text = c.Path + ": " + text
	}
	if c.Accepted != "" {
		text += " (want " + c.Accepted + ")"
	}
	return text
}

// Listed prints all three parts, as lists of complaints about a file do: "slices: 17: want 1 to 16".
func (c Complaint) Listed() string { return c.Path + ": " + c.Value + ": want " + c.Accepted }

// List collects complaints, in the order in which they are found. The zero List is empty and ready for use. The errors
// that are not a [Complaint] came from functions that make errors of their own.
type List []error

// Add adds a complaint about the value at a path.
func (l *List) Add(path, value, accepted string) {
	*l = append(*l, Complaint{path, value, accepted})
}

// Addf adds a complaint that is a sentence.
func (l *List) Addf(format string, args ...any) {
	*l = append(*l, Complaint{Value: fmt.Sprintf(format, args...)})
}

// Check adds a complaint unless the value is ok. What is accepted is formatted with args.
func (l *List) Check(ok bool, path string, value any, accepted string, args ...any) {
	if !ok {
		l.Add(path, fmt.Sprint(value), fmt.Sprintf(accepted, args...))
	}
}

// Within adds a complaint unless the number is within its bounds.
func (l *List) Within(path string, n, lowest, highest int64) {
	if n < lowest || n > highest {
		l.Add(path, fmt.Sprint(n), fmt.Sprintf("%d to %d", lowest, highest))
	}
}

// Bounds is Within for a quantity with a unit. The path of the value is path and key: they become one for a complaint
// alone.
func Bounds[T cmp.Ordered](l *List, path, key string, n, lowest, highest T) {
	if n < lowest || n > highest {
		l.Add(path+key, fmt.Sprint(n), fmt.Sprintf("%v to %v", lowest, highest))
	}
}

// Between is Bounds for errors that are sentences: "cable 5000km is not between 0m and 1000km".
func Between[T cmp.Ordered](l *List, what string, n, lowest, highest T) {
	if n < lowest || n > highest {
		l.Addf("%s %v is not between %v and %v", what, n, lowest, highest)
	}
}

// Join adds what another function found wrong, unchanged; nil adds nothing.
func (l *List) Join(err error) { *l = append(*l, Split(err)...) }

// Under adds what another function found wrong with the part of the input at this path: the path is put in front of the
// path of each complaint. nil adds nothing.
func (l *List) Under(path string, err error) {
	for _, e := range Split(err) {
		switch e := e.(type) {
		case Complaint:
			e.Path = strings.TrimSuffix(path+"."+e.Path, ".")
			*l = append(*l, e)
		case foreign:
			*l = append(*l, foreign{path + "." + e.path, e.err})
		default:
			*l = append(*l, foreign{path, e})
		}
	}
}

// foreign is an error that is not a Complaint and the path of its subject.
type foreign struct {
	path string
	err  error
}

func (f foreign) Error() string { return f.path + ": " + f.err.Error() }
func (f foreign) Unwrap() error { return f.err }

// Err returns nil if there are no complaints, else an error whose text has one complaint per line: the first
// [MostShown] and the number of the others. errors.Is and errors.As reach each of them.
func (l List) Err() error {
	if len(l) <= MostShown && l.Total() == len(l) {
		return errors.Join(l...)
	}
	return &tooMany{l}
}

// Total returns the number of complaints, also of those that a [Rest] counts.
func (l List) Total() (n int) {
	for _, err := range l {
		if r, ok := err.(Rest); ok {
			n += int(r)
		} else {
			n++
		}
	}
	return n
}

// Complaints returns the list as complaints; nil if it is empty. The Value of an error that is not a Complaint is its
// text.
func (l List) Complaints() []Complaint {
	var out []Complaint
	for _, err := range l {
		switch e := err.(type) {
		case Complaint:
			out = append(out, e)
		case foreign:
			out = append(out, Complaint{Path: e.path, Value: e.err.Error()})
		default:
			out = append(out, Complaint{Value: err.Error()})
		}
	}
	return out
}

// Texts returns the text of each complaint, or nil.
func (l List) Texts() []string {
	var out []string
	for _, err := range l {
		out = append(out, err.Error())
	}
	return out
}

// Split returns the errors that errors.Join put together, at any depth: one for each complaint. Any other error is
// returned alone, even if it wraps several: its text is more than theirs. Split of nil is nil.
func Split(err error) []error {
	if err == nil {
		return nil
	}
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out List
	for _, e := range many.Unwrap() {
		out = append(out, Split(e)...)
	}
	if _, ours := err.(*tooMany); !ours && strings.Join(out.Texts(), "\n") != err.Error() {
		return []error{err}
	}
	return out
}

// Located is an error about a line of a file. [Complaint] is often the error.
type Located struct {
	File string
	Line int // from 1; 0: the error is about the whole file
	Err  error
}

// Error puts file and line in front of the error: "leaf.yaml:3: …".
func (l *Located) Error() string {
	if l.Line == 0 {
		return fmt.Sprintf("%s: %v", Line(l.File), l.Err)
	}
	return fmt.Sprintf("%s:%d: %v", Line(l.File), l.Line, l.Err)
}

// Unwrap returns the error.
func (l *Located) Unwrap() error { return l.Err }

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
