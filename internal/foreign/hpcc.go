package foreign

import (
	"bufio"
	"bytes"

	"github.com/cellwarden/cellwarden/unit"
)

// hpcc reads flow.txt: the number of flows, and for each its source, destination, priority group, destination port,
// size in bytes and start in seconds. The program reads words, so lines do not matter to it; and it reads as many flows
// as the first word says, whatever follows.
func (r *reader) hpcc(data []byte) {
	r.list.Format = HPCC
	w := words{scan: bufio.NewScanner(bytes.NewReader(data)), line: 1}
	w.scan.Buffer(nil, 1<<16)
	w.scan.Split(w.split)
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
	for last := 0; ; {
		_, at, ok := w.next()
		if !ok {
			break
		}
		if at != last {
			last = at
			r.list.Unread++
		}
	}
	if w.scan.Err() != nil {
		r.failf(w.line, "a word of more than 65536 bytes (want numbers)")
	}
}

// words reads words, and counts lines.
type words struct {
	scan *bufio.Scanner
	line int // of the last word
	seen int // line ends before the next word
}

// next returns the next word and its line; false at the end.
func (w *words) next() (string, int, bool) {
	ok := w.scan.Scan()
	return w.scan.Text(), w.line, ok
}

// split is bufio.ScanWords that counts the lines before each word.
func (w *words) split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	for advance < len(data) && isSpace(data[advance]) {
		if data[advance] == '\n' {
			w.seen++
		}
		advance++
	}
	for end := advance; end < len(data); end++ {
		if isSpace(data[end]) {
			w.line, w.seen = w.line+w.seen, 0
			return end, data[advance:end], nil
		}
	}
	if atEOF && advance < len(data) {
		w.line, w.seen = w.line+w.seen, 0
		return len(data), data[advance:], nil
	}
	return advance, nil, nil
}

// isSpace tells whether a byte separates words.
func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }
