package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
)

// story is what a journal tells of its first push.
type story struct {
	start        record
	before, want buffer.Layout
	last         record
	commits      []string // ids that may have been begun, the last first
	torn         bool     // the last line was cut off: the push was killed while it wrote
	whole        int64    // bytes of the lines before it
}

// readJournal reads the lines of a push. A last line that does not end was cut
// off, and does not count: what it would tell had not happened yet, or is found
// out by reading the switch.
func readJournal(data []byte) (*story, error) {
	s := &story{whole: int64(bytes.LastIndexByte(data, '\n') + 1)}
	s.torn = s.whole < int64(len(data))
	n := 0
	for line := range bytes.Lines(data[:s.whole]) {
		n++
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		switch {
		case r.Schema != journalSchema:
			return nil, fmt.Errorf("line %d: schema %q: accepted: %s", n, r.Schema, journalSchema)
		case n == 1 && r.Kind != "start":
			return nil, fmt.Errorf("line 1: kind %q: accepted: start", r.Kind)
		case n == 1:
			s.start = r
		}
		s.last = r
		if r.Commit != "" {
			s.commits = append([]string{r.Commit}, s.commits...)
		}
	}
	if s.start.Kind == "" {
		return nil, errors.New("no line that starts a push: nothing was sent")
	}
	var bad error
	if s.before, bad = layoutOf(s.start.Before); bad != nil {
		return nil, fmt.Errorf("before: %w", bad)
	}
	if s.want, bad = layoutOf(s.start.Want); bad != nil {
		return nil, fmt.Errorf("want: %w", bad)
	}
	return s, nil
}
