package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Shard is one part of many questions: every Of-th, from the one with this Index on. Zero is all of them. It is read
// and written as a flag: "2/8".
type Shard struct{ Index, Of int }

// Whole tells whether the shard is all of the questions.
func (s Shard) Whole() bool { return s.Of == 0 }

// Has tells whether the n-th question, from 1, is of the shard.
func (s Shard) Has(n int) bool { return s.Of == 0 || (n-1)%s.Of == s.Index }

// Set reads "2/8".
func (s *Shard) Set(text string) error {
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return fmt.Errorf("%.40q (want I/N with I from 0 to N-1)", text)
	}
	*s = Shard{i, n}
	return nil
}

// String prints the shard as Set reads it.
func (s *Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Type names the kind of the flag.
func (*Shard) Type() string { return "I/N" }

// Merge puts the outputs of shards together: the bytes are those of one run. Each text is JSON Lines with the key line,
// or CSV whose first column is the line. The order of the texts does not matter. A line that two texts have is
// refused, and one that no text has if a later line is there: a part does not say where it ends, so Merge does not see
// that the last lines are missing. Names are those of the texts in complaints.
func Merge(names []string, texts [][]byte) ([]byte, error) {
	parts := make([]*part, len(texts))
	for i := range texts {
		parts[i] = &part{name: names[i], rest: texts[i]}
		if err := parts[i].begin(); err != nil {
			return nil, err
		}
	}
	var all bytes.Buffer
	for i, p := range parts {
		if i == 0 {
			all.Write(p.header)
		}
		if !bytes.Equal(p.header, parts[0].header) && p.line != nil && parts[0].line != nil {
			return nil, fmt.Errorf("%s and %s: want parts of one run, with the same columns", parts[0].name, p.name)
		}
	}
	for n := 1; ; n++ {
		has, err := owner(parts, n)
		if has == nil || err != nil {
			return all.Bytes(), err
		}
		all.Write(has.line)
		if err := has.next(); err != nil {
			return nil, err
		}
	}
}

// owner returns the part whose next line has this number; nil if no part has a line left.
func owner(parts []*part, n int) (has *part, err error) {
	left := false
	for _, p := range parts {
		switch {
		case p.line == nil:
		case p.number == n && has != nil:
			return nil, fmt.Errorf("line %d is in %s and in %s", n, has.name, p.name)
		case p.number == n:
			has = p
		}
		left = left || p.line != nil
	}
	if left && has == nil {
		return nil, fmt.Errorf("line %d is in no file: a part is missing", n)
	}
	return has, nil
}

// part is the output of one shard.
type part struct {
	name   string
	header []byte // of CSV; nil: JSON Lines
	line   []byte // the next line, with its end, or nil
	number int    // of the line
	rest   []byte
}

// begin reads the header, if there is one, and the first line.
func (p *part) begin() error {
	if len(p.rest) > 0 && p.rest[0] != '{' {
		p.header = p.cut()
	}
	return p.next()
}

// cut takes a line off the rest.
func (p *part) cut() []byte {
	end := bytes.IndexByte(p.rest, '\n') + 1
	if end == 0 {
		end = len(p.rest)
	}
	line := p.rest[:end]
	p.rest = p.rest[end:]
	return line
}

// next reads the next line and its number.
func (p *part) next() (err error) {
	if p.line = nil; len(p.rest) == 0 {
		return nil
	}
	before := p.number
	p.line = p.cut()
	if p.line[len(p.line)-1] != '\n' {
		return fmt.Errorf("%s: the last line has no end: the part is not complete", p.name)
	}
	if p.header == nil {
		var x struct{ Line *int }
		if err := json.Unmarshal(p.line, &x); err != nil || x.Line == nil {
			return fmt.Errorf("%s: a line without a number (want the output of sweep or of plan --lines)", p.name)
		}
		p.number = *x.Line
	} else {
		field, _, _ := bytes.Cut(p.line, []byte{','})
		if p.number, err = strconv.Atoi(string(field)); err != nil {
			return fmt.Errorf("%s: a line without a number (want the output of sweep -o csv)", p.name)
		}
	}
	if p.number <= before {
		return fmt.Errorf("%s: line %d after line %d (want ascending numbers from 1)", p.name, p.number, before)
	}
	return nil
}
