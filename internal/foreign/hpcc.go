package foreign

import (
	"bytes"

	"github.com/cellwarden/cellwarden/unit"
)

// mostWord bounds a word: numbers have some 20 bytes.
const mostWord = 1 << 16

// hpcc reads flow.txt: the number of flows, and for each its source, destination, priority group, destination port,
// size in bytes and start in seconds. The program reads words, so lines do not matter to it; and it reads as many flows
// as the first word says, whatever follows.
func (r *reader) hpcc(data []byte) {
	r.list.Format = HPCC
	w := words{rest: data, line: 1}
	text, line, _ := w.next()
	n := r.number(line, "number of flows", text, 0, MaxFlows)
	for i := range n {
		var field [6]string
		f := Flow{}
		for k := range field {
			word, at, ok := w.next()
			if !ok {
				r.failf(at, "the file ends in flow %d of %d (want src dst pg dport size start for each)", i+1, n)
				return
			}
			if k == 0 {
				f.Line = at
			}
			field[k] = word
		}
		f.From = int(r.number(f.Line, "source", field[0], 0, 1<<31))
		f.To = int(r.number(f.Line, "destination", field[1], 0, 1<<31))
		f.Priority = int(r.number(f.Line, "priority group", field[2], 0, 7))
		r.number(f.Line, "destination port", field[3], 0, 1<<16-1)
		f.Size = unit.Bytes(r.number(f.Line, "size", field[4], 1, 1<<32-1))
		start, ok := scaled(field[5], 12)
		if !ok {
			r.failf(f.Line, "start %q: want seconds below 100000, with at most 12 places", shorten(field[5]))
		}
		f.Start = unit.Time(start)
		r.add(f)
	}
	last := 0
	for _, at, ok := w.next(); ok; _, at, ok = w.next() {
		if at != last {
			last = at
			r.list.Unread++
		}
	}
	if w.long {
		r.failf(w.line, "a word of more than %d bytes (want numbers)", mostWord)
	}
}

// words reads words, and counts lines.
type words struct {
	rest []byte
	line int  // of the last word
	long bool // the next word is too long
}

// spaces separate words.
const spaces = " \t\n\v\f\r"

// next returns the next word and its line; false at the end, and before a word that is too long.
func (w *words) next() (string, int, bool) {
	word := bytes.TrimLeft(w.rest, spaces)
	blank := w.rest[:len(w.rest)-len(word)]
	if end := bytes.IndexAny(word, spaces); end >= 0 {
		word = word[:end]
	}
	if w.long = len(word) >= mostWord; w.long || len(word) == 0 {
		return "", w.line, false
	}
	w.line += bytes.Count(blank, []byte{'\n'})
	w.rest = w.rest[len(blank)+len(word):]
	return string(word), w.line, true
}
