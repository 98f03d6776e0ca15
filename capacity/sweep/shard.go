package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
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

// trailer is the last line of a part: without it, a part that was cut would look like one with fewer points.
type trailer struct {
	Shard    string `json:"shard"`
	Points   int    `json:"points"`
	Question string `json:"question"` // the first half of its SHA-256
}

// marks are how a line begins that is a trailer: in JSON Lines, where an answer begins with its id or its line, and in
// CSV, as a comment.
var marks = []string{`{"shard":`, `# {"shard":`}

// Trailer returns the last line of the shard's output, in JSON Lines or in CSV: the shard, how many points it has
// answered, and a hash of the question, all that the answers of all shards depend on.
func (s Shard) Trailer(csv bool, points int, question []byte) string {
	hash := sha256.Sum256(question)
	text, _ := json.Marshal(trailer{s.String(), points, hex.EncodeToString(hash[:len(hash)/2])})
	if csv {
		return "# " + string(text) + "\n"
	}
	return string(text) + "\n"
}

// Merge puts the outputs of all shards of a question together: the bytes are those of one run. Each text is JSON Lines
// with the key line, or CSV whose first column is the line, and ends with its Trailer. The order of the texts does not
// matter. A part that is missing, there twice, cut or of another question is refused, and so is a text that is no
// part. Names are those of the texts in complaints.
func Merge(names []string, texts [][]byte) ([]byte, error) {
	parts := make([]*part, len(texts))
	size := 0
	for i := range texts {
		parts[i] = &part{name: names[i], rest: texts[i]}
		if err := parts[i].begin(); err != nil {
			return nil, err
		}
		size += len(texts[i])
	}
	parts, err := inOrder(parts)
	if err != nil {
		return nil, err
	}
	all := make([]byte, 0, size)
	all = append(all, parts[0].header...)
	for n := 1; ; n++ {
		line, err := parts[(n-1)%len(parts)].next(n)
		if err != nil {
			return nil, err
		}
		if line == nil {
			if err := ended(parts, n); err != nil {
				return nil, err
			}
			return all, nil
		}
		all = append(all, line...)
	}
}

// inOrder returns the parts in the order of their indices, if they are all parts of one question.
func inOrder(parts []*part) ([]*part, error) {
	if len(parts) == 0 {
		return nil, errors.New("no part (want the outputs of all shards)")
	}
	first := parts[0]
	out := make([]*part, first.shard.Of)
	for _, p := range parts {
		switch {
		case p.shard.Of != first.shard.Of:
			return nil, fmt.Errorf("%s and %s: part %v and part %v (want parts of one number)", first.name, p.name,
				&first.shard, &p.shard)
		case p.end.Question != first.end.Question || !bytes.Equal(p.header, first.header):
			return nil, fmt.Errorf("%s and %s: want parts of one question: the same topologies, and the same flags but "+
				"--shard and --jobs", first.name, p.name)
		case out[p.shard.Index] != nil:
			return nil, fmt.Errorf("%s and %s are both part %v", out[p.shard.Index].name, p.name, &p.shard)
		}
		out[p.shard.Index] = p
	}
	var missing []string
	for i, p := range out {
		if p == nil {
			missing = append(missing, fmt.Sprintf("%d/%d", i, len(out)))
		}
	}
	switch {
	case len(missing) == 1:
		return nil, fmt.Errorf("part %s is missing", missing[0])
	case len(missing) > 1:
		return nil, fmt.Errorf("parts %s are missing", shortened(missing))
	}
	return out, nil
}

// shortened prints some names, and how many more there are.
func shortened(names []string) string {
	const shown = 8
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// ended checks that no part has a line left when the n-th is not there.
func ended(parts []*part, n int) error {
	for _, p := range parts {
		if len(p.rest) > 0 {
			return fmt.Errorf("line %d is in no part: want it in %s, part %v", n, parts[(n-1)%len(parts)].name,
				&parts[(n-1)%len(parts)].shard)
		}
	}
	return nil
}

// part is the output of one shard.
type part struct {
	name   string
	shard  Shard
	end    trailer
	header []byte // of CSV; nil: JSON Lines
	rest   []byte // the lines of answers that were not taken yet
}

// begin reads the header, if there is one, and the trailer. It counts the lines between them.
func (p *part) begin() error {
	text := p.rest
	switch {
	case len(text) == 0:
		return fmt.Errorf("%s: empty (want the output of --shard)", p.name)
	case text[0] != '{' && !bytes.HasPrefix(text, []byte("line,")):
		return fmt.Errorf("%s: no output of --shard (want JSON Lines or CSV of sweep, or of plan and capacity with "+
			"--lines)", p.name)
	case text[len(text)-1] != '\n':
		return fmt.Errorf("%s: the last line has no end: the part is cut", p.name)
	}
	if text[0] != '{' {
		p.header, p.rest = cut(p.rest)
	}
	before := bytes.LastIndexByte(p.rest[:max(len(p.rest)-1, 0)], '\n') + 1
	if err := p.readTrailer(p.rest[before:]); err != nil {
		return err
	}
	p.rest = p.rest[:before]
	if points := bytes.Count(p.rest, []byte{'\n'}); points != p.end.Points {
		if bytes.Contains(p.rest, []byte("\n"+marks[0])) || bytes.Contains(p.rest, []byte("\n"+marks[1])) {
			return fmt.Errorf("%s: text after the trailer of a part (want each part in a file of its own)", p.name)
		}
		return fmt.Errorf("%s: %d points, and its trailer says %d: the part is not complete", p.name, points, p.end.Points)
	}
	return nil
}

// readTrailer reads the last line.
func (p *part) readTrailer(line []byte) error {
	mark := marks[0]
	if p.header != nil {
		mark = marks[1]
	}
	if !bytes.HasPrefix(line, []byte(mark)) {
		return fmt.Errorf("%s: no trailer at its end: the part is cut, or no output of --shard", p.name)
	}
	if err := json.Unmarshal(line[strings.IndexByte(mark, '{'):], &p.end); err != nil {
		return fmt.Errorf("%s: its trailer is no JSON: %.80q", p.name, line)
	}
	if err := p.shard.Set(p.end.Shard); err != nil {
		return fmt.Errorf("%s: the shard of its trailer: %w", p.name, err)
	}
	if p.shard.Of > mostParts {
		return fmt.Errorf("%s: part %v (want at most %d parts)", p.name, &p.shard, mostParts)
	}
	return nil
}

// mostParts is the largest number of parts that are put together.
const mostParts = 1 << 20

// cut takes a line off a text, which ends with a line feed.
func cut(text []byte) (line, rest []byte) {
	end := bytes.IndexByte(text, '\n') + 1
	return text[:end], text[end:]
}

// next takes the next line, which has this number; nil if there is none.
func (p *part) next(want int) (line []byte, err error) {
	if len(p.rest) == 0 {
		return nil, nil
	}
	line, p.rest = cut(p.rest)
	number := 0
	if p.header == nil {
		var x struct{ Line *int }
		if err := json.Unmarshal(line, &x); err != nil || x.Line == nil {
			return nil, fmt.Errorf("%s: a line without a number: %.80q", p.name, line)
		}
		number = *x.Line
	} else {
		field, _, _ := bytes.Cut(line, []byte{','})
		if number, err = strconv.Atoi(string(field)); err != nil {
			return nil, fmt.Errorf("%s: a line without a number: %.80q", p.name, line)
		}
	}
	if number != want {
		return nil, fmt.Errorf("%s: line %d where line %d is expected", p.name, number, want)
	}
	return line, nil
}
