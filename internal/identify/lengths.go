package identify

import (
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// The sizes of cells and overheads matter only by the cells that packets of the lengths that were sent take. So pairs
// of sizes fall into classes that answer alike, and one of each class is looked at.

// sent lists the lengths of packets of several cells that were sent.
func (e *evidence) sent() (out []int64) {
	for _, s := range e.sessions {
		for i := range s {
			if x := &s[i]; !x.Release && x.Length > shortest && !slices.Contains(out, x.Length) {
				out = append(out, x.Length)
			}
		}
	}
	return out
}

// steps counts the steps of all sessions.
func (e *evidence) steps() (n int) {
	for _, s := range e.sessions {
		n += len(s)
	}
	return n
}

// class is the cells of packets of each length that was sent, with all numbers but the sizes of cells and overheads.
type class struct {
	box   rules.Box
	cells string
}

// classes divides a box, of which nothing else is open but the offset, into those whose cells and overheads are not
// excluded.
func (f *finder) classes(b *rules.Box) (out []piece) {
	lengths := f.sent()
	same := class{box: *b}
	for _, n := range []rules.Number{rules.Cell, rules.Overhead} {
		same.box.Lo[n], same.box.Hi[n] = 0, 0
	}
	key := make([]byte, len(lengths))
	var above []piece // of the overhead before
	for o := b.Lo[rules.Overhead]; o <= b.Hi[rules.Overhead]; o++ {
		var row []piece
		for c := max(b.Lo[rules.Cell], shortest+o); c <= b.Hi[rules.Cell]; {
			last := b.Hi[rules.Cell]
			for i, l := range lengths {
				n := (l + o + c - 1) / c
				key[i] = byte(n)
				if n > 1 {
					last = min(last, (l+o+n-2)/(n-1)-1)
				}
			}
			one := *b
			one.Lo[rules.Cell], one.Hi[rules.Cell] = c, c
			one.Lo[rules.Overhead], one.Hi[rules.Overhead] = o, o
			same.cells = string(key)
			fits, known := f.verdicts[same]
			if !known {
				fits = f.possible(&one, 0)
				f.verdicts[same] = fits
			}
			if n := len(row); fits && n > 0 && row[n-1].box.Hi[rules.Cell] == c-1 {
				row[n-1].box.Hi[rules.Cell] = last
			} else if fits {
				one.Hi[rules.Cell] = last
				row = append(row, piece{one, f.closed(), f.steps()})
			}
			c = last + 1
			f.work++
		}
		for i := range row {
			j := slices.IndexFunc(above, func(x piece) bool {
				return x.box.Lo[rules.Cell] == row[i].box.Lo[rules.Cell] && x.box.Hi[rules.Cell] == row[i].box.Hi[rules.Cell]
			})
			if j >= 0 {
				row[i].box.Lo[rules.Overhead] = above[j].box.Lo[rules.Overhead]
				above = slices.Delete(above, j, j+1)
			}
		}
		out, above = append(out, above...), row
	}
	return append(out, above...)
}
