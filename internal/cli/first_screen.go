package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// This file makes first screens: what a reader sees of a report without --all.

// The size of a first screen, in lines of columns. 24 lines are those of a terminal that nobody has enlarged; 100
// columns are those of plainWidth.
const (
	FirstLines   = 24
	FirstColumns = 100
)

// The rows of a table and the lines below the tables that a first screen keeps while something else can go.
const (
	keptRows  = 5
	keptLines = 3
)

// Brief gives the report a first screen: its lines, and of its tables those that are named, each with as many rows at
// most. A report that fits a first screen is printed whole. The tables keep the names of the whole ones, by which
// `more` counts what is left out.
func (r *Screen) Brief(rows int, names ...string) *Screen {
	var shown []Section
	for _, s := range r.Sections {
		if !slices.Contains(names, s.TableName()) {
			continue
		}
		s.Rows = s.Rows[:min(len(s.Rows), rows)]
		shown = append(shown, s)
	}
	return r.Short(shown...).OrWhole()
}

// OrWhole has a report that fits a first screen printed whole. Most plans of a few ports do, and then nothing is hidden
// behind --all.
func (r *Screen) OrWhole() *Screen {
	r.First.orWhole = true
	return r
}

// Short gives the report a first screen of its lines and of these tables, which may be others than those of the report.
// Rows and lines that do not fit are left out. The last line says what --all prints beside it. Sections are copied,
// because fitting cuts their rows, and the whole report is printed from the same ones with --all.
func (r *Screen) Short(sections ...Section) *Screen {
	r.First = &Screen{Head: slices.Clone(r.Head), Mood: r.Mood, Foot: slices.Clone(r.Foot), fitted: true}
	for _, s := range sections {
		s.Rows, s.Columns = slices.Clone(s.Rows), slices.Clone(s.Columns)
		for i := range s.Rows {
			s.Rows[i] = slices.Clone(s.Rows[i])
		}
		r.First.Sections = append(r.First.Sections, s)
	}
	return r
}

// shown returns what text has without --all: the first screen, or the report if it fits one. A first screen that a
// verb has made itself, without Short or Brief, is printed as it is.
func (r *Screen) shown() *Screen {
	first := r.First
	if !first.fitted {
		return first
	}
	if first.orWhole && r.fits() {
		return r
	}
	return first.fit(r)
}

// fit leaves out lines and rows until the screen has the size of a first screen. It takes away one line or one row at
// a time and measures again, because folding decides how many lines a row is. Rows of the longest table go first,
// down to twice keptRows, then lines below the tables down to keptLines, then rows down to keptRows, the other lines,
// the other rows but one, and at last whole tables from the end. What can no longer shrink is printed too long.
func (r *Screen) fit(whole *Screen) *Screen {
	out := *r
	out.Sections = slices.Clone(r.Sections)
	lines := 0
	for {
		out.Foot = r.Foot[:len(r.Foot)-lines]
		// The name of a list without its items says nothing.
		for n := len(out.Foot); lines > 0 && n > 0 && !strings.HasPrefix(out.Foot[n-1], "- "); n-- {
			out.Foot = out.Foot[:n-1]
		}
		if more := out.more(whole, len(r.Foot)-len(out.Foot)); more != "" {
			out.Foot = append(slices.Clone(out.Foot), more)
		}
		if out.fits() {
			return &out
		}
		longest := out.longest()
		// Without a table there are no rows to take away, only lines.
		rows := 0
		if longest >= 0 {
			rows = len(out.Sections[longest].Rows)
		}
		left := len(r.Foot) - lines
		switch {
		// This case ends below the switch, where one row is taken away. The others take something else, or give up.
		case rows > keptRows && (left <= keptLines || rows > 2*keptRows):
		case left > keptLines || left > 0 && rows <= keptRows:
			lines++
			continue
		case rows <= 1 && len(out.Sections) > 1:
			out.Sections = out.Sections[:len(out.Sections)-1]
			continue
		case rows <= 1:
			return &out
		}
		s := &out.Sections[longest]
		s.Rows = s.Rows[:rows-1]
	}
}

// longest is the table with the most rows; -1 without one. Of two tables with as many rows it is the first.
func (r *Screen) longest() int {
	at, most := -1, 0
	for i := range r.Sections {
		if n := len(r.Sections[i].Rows); n > most {
			at, most = i, n
		}
	}
	return at
}

// more says what --all prints beside a first screen; empty: nothing. A table that is not on the first screen is
// named, one with fewer rows counted, and one whose rows or columns are shorter says that. Rows are those of whole: a
// folded row counts once.
func (r *Screen) more(whole *Screen, lines int) string {
	var more []string
	for i := range whole.Sections {
		s := &whole.Sections[i]
		name := s.TableName()
		k := slices.IndexFunc(r.Sections, func(x Section) bool { return x.TableName() == name })
		if k < 0 {
			more = append(more, name)
			continue
		}
		if n := s.whole() - r.Sections[k].whole(); n > 0 {
			more = append(more, Plural(n, "more row", "more rows")+" of "+name)
		} else if len(s.Rows) > len(r.Sections[k].Rows) {
			more = append(more, "the rest of each row of "+name)
		} else if !slices.Equal(r.Sections[k].Columns, s.Columns) {
			more = append(more, "all columns of "+name)
		}
	}
	if lines > 0 {
		more = append(more, Plural(lines, "more line", "more lines"))
	}
	if len(more) == 0 {
		return ""
	}
	return fmt.Sprintf("%-9s --all prints %s", "more", strings.Join(more, ", "))
}

// whole counts the rows but for those that go on with the row above: their first cell is empty. A group of several
// lines, such as a port with several groups, is one row for who counts ports.
func (s *Section) whole() (n int) {
	for _, row := range s.Rows {
		if row[0] != "" {
			n++
		}
	}
	return n
}

// fits tells whether the report has at most the size of a first screen. A row is a line at least, and so is a line
// below the tables: a report with more of both is too long however it is folded.
func (r *Screen) fits() bool {
	least := len(r.Foot)
	for i := range r.Sections {
		least += len(r.Sections[i].Rows)
	}
	return least <= FirstLines && r.Height(FirstColumns) <= FirstLines
}

// Height is the number of lines of the report as text of a width.
func (r *Screen) Height(width int) int {
	var b bytes.Buffer
	_ = r.writeText(&b, surface{width: width}) // a buffer takes everything
	return bytes.Count(b.Bytes(), []byte("\n"))
}
