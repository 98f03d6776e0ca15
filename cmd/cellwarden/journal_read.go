package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/buffer"
)

// story is what a journal tells of its first push.
type story struct {
	start        record
	before, want buffer.Layout     // by OpenConfig
	within       time.Duration     // in which a commit had to be confirmed; negative: not known
	words        []native.Recorded // in the switch's own words; none: by OpenConfig
	unanswered   []record          // sends whose answers are not known, or tell nothing
	pending      []native.Recorded // what the last of them was to change
	last         record
	resumed      bool     // somebody went on with it
	commits      []string // ids that may have been begun, the last first
	torn         bool     // the last line was cut off: the push was killed while it wrote
	whole        int64    // bytes of the lines before it
	size         int64    // bytes in all
}

// readJournal reads the lines of a push, of either kind. A last line that does not end was cut
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
		case n == 1 && r.Schema != journalSchema && r.Schema != nativeSchema:
			return nil, fmt.Errorf("line 1: schema %q: accepted: %s, %s", r.Schema, journalSchema, nativeSchema)
		case n > 1 && r.Schema != s.start.Schema:
			return nil, fmt.Errorf("line %d: schema %q: accepted: %s, as in line 1", n, r.Schema, s.start.Schema)
		case n == 1 && r.Kind != "start":
			return nil, fmt.Errorf("line 1: kind %q: accepted: start", r.Kind)
		case n == 1:
			s.start = r
		}
		s.follow(r)
	}
	if s.start.Kind == "" {
		return nil, errors.New("no line that starts a push: nothing was sent")
	}
	if err := s.content(); err != nil {
		return nil, err
	}
	return s, nil
}

// follow keeps what a line tells.
func (s *story) follow(r record) {
	s.last, s.resumed = r, s.resumed || r.Kind == "resume"
	if r.Commit != "" {
		s.commits = append([]string{r.Commit}, s.commits...)
	}
	switch {
	case r.Kind == "send":
		s.unanswered = append(s.unanswered, r)
	case r.Kind == "sent" && r.Error == "":
		for i, sent := range slices.Backward(s.unanswered) {
			if sent.Phase == r.Phase {
				s.unanswered = slices.Delete(s.unanswered, i, i+1)
				break
			}
		}
	case r.Kind == "end" && backend.State(r.State) != backend.Unknown:
		s.unanswered = nil
	}
}

// content reads what the push was about.
func (s *story) content() (bad error) {
	if s.start.Schema == nativeSchema {
		if s.words, bad = recordedOf(s.start.Changes); bad == nil {
			s.pending, bad = s.pendingOf()
		}
		return bad
	}
	if s.before, bad = layoutOf(s.start.Before); bad != nil {
		return fmt.Errorf("before: %w", bad)
	}
	if s.want, bad = layoutOf(s.start.Want); bad != nil {
		return fmt.Errorf("want: %w", bad)
	}
	if s.within = -1; s.start.Within != "" {
		if s.within, bad = time.ParseDuration(s.start.Within); bad != nil || s.within < 0 {
			return fmt.Errorf("rollback_after: %q: accepted: a time such as 2m0s, or 0s", s.start.Within)
		}
	}
	return nil
}

// pendingOf reads what the last Set without an answer was to change.
func (s *story) pendingOf() ([]native.Recorded, error) {
	if len(s.unanswered) == 0 {
		return nil, nil
	}
	return recordedOf(s.unanswered[len(s.unanswered)-1].Changes)
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
