package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cellwarden/cellwarden/buffer"
)

// story is what a journal tells of its first push.
type story struct {
	start        record
	before, want buffer.Layout
	within       time.Duration // in which a commit had to be confirmed; negative: not known
	last         record
	resumed      bool     // somebody went on with it
	commits      []string // ids that may have been begun, the last first
	torn         bool     // the last line was cut off: the push was killed while it wrote
	whole        int64    // bytes of the lines before it
	size         int64    // bytes in all
}

// readJournal reads the lines of a push. A last line that does not end was cut
// off, and does not count: what it would tell had not happened yet, or is found
// out by reading the switch.
func readJournal(data []byte) (*story, error) {
	s := &story{whole: int64(bytes.LastIndexByte(data, '\n') + 1), size: int64(len(data))}
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
		s.last, s.resumed = r, s.resumed || r.Kind == "resume"
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
	if s.within = -1; s.start.Within != "" {
		if s.within, bad = time.ParseDuration(s.start.Within); bad != nil || s.within < 0 {
			return nil, fmt.Errorf("rollback_after: %q: accepted: a time such as 2m0s, or 0s", s.start.Within)
		}
	}
	return s, nil
}

// lastText says how far the push is known to have come.
func (s *story) lastText() string {
	text := s.last.Kind
	if s.last.Phase > 0 {
		text += fmt.Sprintf(" phase %d", s.last.Phase)
	}
	if s.last.State != "" {
		text += ", " + s.last.State
	}
	if s.torn {
		text += ", and one that was cut off"
	}
	return text
}
