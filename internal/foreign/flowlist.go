// Package foreign speaks the files of other simulators, HPCC's ns-3 with its descendants and htsim: it reads their flow
// lists (flow.txt, and the connection matrix .cm), and [WriteSettings] writes the buffer, headroom, PFC and ECN
// settings of switches in their words.
//
// [Read] recognises the format and returns a [List]: which node sends how much to which, when, and which flows wait for
// others. Nodes are numbers; the reader decides what they mean. Everything that is wrong is reported at
// once, with file and line. What a list can say and a flow cannot do is refused, and never left out.
//
// The formats are read as these programs read them: HPCC's scratch/third.cc
// (alibaba-edu/High-Precision-Congestion-Control 9f4be2a) and htsim's connection_matrix.cpp (Broadcom/csg-htsim
// 841d9e7).
package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// The bounds of a file.
const (
	MaxBytes = 32 << 20
	MaxFlows = 200_000
	maxBad   = 20 // complaints; further ones are counted
)

// Format is a format of flow lists.
type Format string

// The formats.
const (
	HPCC  Format = "flow.txt of HPCC's ns-3"
	Htsim Format = "connection matrix of htsim"
)

// List is the content of a file.
type List struct {
	Format Format
	Nodes  int // number of nodes, if the file says it; 0: it does not
	Flows  []Flow
	// Unread is the lines after the number of flows that the first line states. HPCC does not read them.
	Unread int
}

// Flow is a flow of a list.
type Flow struct {
	Line     int
	From, To int        // nodes
	Priority int        // -1: the list has none
	Size     unit.Bytes // payload; 0: without end, which only htsim has
	Start    unit.Time

	After        []int // flows that it waits for; those that wait at one trigger share the list
	Acknowledged bool  // it waits for their last acknowledgement, not for their arrival
	InTurn       bool  // each of After starts the next one of the flows that share it
}

// Read reads a list. The file name appears in messages.
func Read(file string, data []byte) (*List, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: %d bytes (want at most %d)", file, len(data), MaxBytes)
	}
	r := &reader{file: file, list: &List{}}
	if first := bytes.Fields(data[:min(len(data), 4096)]); len(first) > 0 && isNumber(string(first[0])) {
		r.hpcc(data)
	} else {
		r.htsim(data)
	}
	if r.more > 0 {
		r.bad = append(r.bad, fmt.Errorf("%s: and %d more", file, r.more))
	}
	if err := errors.Join(r.bad...); err != nil {
		return nil, err
	}
	return r.list, nil
}

// reader reads one file.
type reader struct {
	file string
	list *List
	bad  []error
	more int // complaints that are not in bad
}

// failf complains about a line.
func (r *reader) failf(line int, format string, args ...any) {
	if len(r.bad) == maxBad {
		r.more++
		return
	}
	r.bad = append(r.bad, fmt.Errorf("%s:%d: %s", r.file, line, fmt.Sprintf(format, args...)))
}

// number reads a whole number in a range.
func (r *reader) number(line int, what, text string, lowest, highest int64) int64 {
	n, ok := parseNumber(text)
	if !ok || n < lowest || n > highest {
		r.failf(line, "%s %q: want a whole number from %d to %d", what, shorten(text), lowest, highest)
		return lowest
	}
	return n
}

// add adds a flow.
func (r *reader) add(f Flow) {
	if f.From == f.To {
		r.failf(f.Line, "node %d sends to itself: want two nodes", f.From)
	}
	r.list.Flows = append(r.list.Flows, f)
}

// isNumber tells whether a text consists of digits.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// parseNumber reads digits, up to 18 of them beside leading zeros.
func parseNumber(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && isNumber(text) && n < 1e18
}

// scaled reads a decimal number, as exactly its value times 10 to the power of places: "2.5" with 3 places
// is 2500. It is false if the number has a part below that, or more than 17 digits in all.
func scaled(text string, places int) (int64, bool) {
	whole, part, point := strings.Cut(text, ".")
	if !isNumber(whole) || point && !isNumber(part) {
		return 0, false
	}
	if part = strings.TrimRight(part, "0"); len(part) > places {
		return 0, false
	}
	n, ok := parseNumber(whole + part + strings.Repeat("0", places-len(part)))
	return n, ok && n < 1e17
}

// shorten cuts a long text for a message.
func shorten(text string) string {
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}

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
