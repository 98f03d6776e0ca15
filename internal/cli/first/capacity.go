package first

import (
	"fmt"

	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// mostAnswers is the number of answers on a first screen.
const mostAnswers = 16

// Value is an answer in the unit of --units. The smallest pool is the one answer that is a buffer: other bytes are
// those of a frame. A pool is rounded up to whole cells, as a chip would hold it. Without a cell size the answer stays
// in bytes.
func Value(a *report.CapacityAnswer, cell cells.Size, units string) string {
	if a.Question != string(capacity.Pool) || a.ValueB == nil || cell == 0 {
		return a.Value
	}
	n := cells.Count((*a.ValueB + unit.Bytes(cell) - 1) / unit.Bytes(cell))
	return cli.Amount{Cells: n, Bytes: *a.ValueB}.Text(units)
}

// Capacity returns the first screen of answers to questions about a topology: how far it goes, and what refuses more in
// a few words. in prints an answer. Answers beyond mostAnswers are counted, and --all has them. An answer that was not
// asked for has its reason as what limits it.
func Capacity(d *report.CapacityDocument, verdict string, in func(*report.CapacityAnswer) string) *cli.Screen {
	s := cli.Section{Title: "How far it goes, all else as it is",
		Columns: []string{"question", "ports", "answer", "limited by"}}
	for i := range d.Answers[:min(len(d.Answers), mostAnswers)] {
		// A limit that is empty finds no words, and the cell is then empty.
		a := &d.Answers[i]
		value, why := in(a), limits[a.Limit]
		switch {
		case a.State == string(capacity.NotAsked):
			why = "not asked: " + a.Why
		case a.State == string(capacity.Found) && a.Question == string(capacity.Placement) && a.ValueN != nil:
			value = fmt.Sprintf("%s, %s", a.Value, cli.Plural(int(*a.ValueN), "port fits", "ports fit"))
		}
		s.Row(a.Question, a.Ports, value, why)
	}
	r := &cli.Screen{Head: []string{verdict}, Mood: capacityMood(d), Sections: []cli.Section{s}}
	// These lines are above the answers, which rest on them as the verdict does.
	r.Head = append(r.Head, cli.Prefixed("rests on  ", d.RestsOn)...)
	if more := len(d.Answers) - len(s.Rows); more > 0 {
		r.Foot = append(r.Foot, fmt.Sprintf("and %s: --all", cli.Plural(more, "more answer", "more answers")))
	}
	r.Foot = append(r.Foot, named("more", "--all prints what refuses one more, and what would after it"))
	return r
}

// capacityMood is what the verdict above the answers means. A plan that does not fit is bad also if questions about it
// have answers.
func capacityMood(d *report.CapacityDocument) cli.Mood {
	switch d.Verdict {
	case report.Fits:
		return cli.Good
	case report.FitsAsPlaced:
		return cli.Warn
	}
	return cli.Bad
}
