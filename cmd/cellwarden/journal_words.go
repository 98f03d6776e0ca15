package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/dialect"
)

// startOfWords says what a push in the switch's own words is about.
func startOfWords(target string, as *profile.Profile, cell cells.Size, changes []native.Change) record {
	r := newStart(nativeSchema, target, as, cell)
	r.Changes = changeRecords(changes)
	r.Plan = checksum(r.Changes)
	return r
}

// changeRecord is a change of a switch's own value.
type changeRecord struct {
	Path    string          `json:"path"` // for who reads it; At decides
	Origin  string          `json:"origin,omitempty"`
	At      [][]string      `json:"at"`             // the path's elements: a name, and of an entry of a list its key and the key's value
	From    json.RawMessage `json:"from,omitempty"` // none: nothing is there
	To      json.RawMessage `json:"to,omitempty"`   // none: it goes
	Phase   int             `json:"phase,omitempty"`
	MayStop string          `json:"may_stop"`
}

func changeRecords(changes []native.Change) []changeRecord {
	all := make([]native.Recorded, len(changes))
	for i, c := range changes {
		all[i] = c.Recorded()
	}
	return recordsOf(all)
}

func recordsOf(all []native.Recorded) []changeRecord {
	out := make([]changeRecord, len(all))
	for i, r := range all {
		out[i] = changeRecord{Path: dialect.Text(r.Path), Origin: r.Origin, From: json.RawMessage(r.Before), To: json.RawMessage(r.Planned), Phase: r.Phase, MayStop: r.Reach.String()}
		for _, e := range r.Path {
			at := []string{e.Name}
			if e.Key != "" {
				at = append(at, e.Key, e.Value)
			}
			out[i].At = append(out[i].At, at)
		}
	}
	return out
}

// recordedOf reads changes. It refuses what no push has written.
func recordedOf(all []changeRecord) ([]native.Recorded, error) {
	var out []native.Recorded
	for i, c := range all {
		r := native.Recorded{Origin: c.Origin, Before: string(c.From), Planned: string(c.To), Phase: c.Phase, Reach: buffer.Disruption(slices.Index(reaches(), c.MayStop))}
		if r.Reach < 0 {
			return nil, fmt.Errorf("change %d: may_stop: %q: accepted: %v", i+1, c.MayStop, reaches())
		}
		for _, at := range c.At {
			switch len(at) {
			case 1:
				r.Path = append(r.Path, dialect.Elem{Name: at[0]})
			case 3:
				r.Path = append(r.Path, dialect.Elem{Name: at[0], Key: at[1], Value: at[2]})
			default:
				return nil, fmt.Errorf("change %d: at: %q: accepted: a name, or a name, a key and its value", i+1, at)
			}
		}
		out = append(out, r)
	}
	return out, native.Validate(out)
}

// wordsJournal writes down what is sent in the switch's own words.
type wordsJournal struct {
	*journal
	unsaid error // why what was undone is not written down
}

// Begin makes the file.
func (j *wordsJournal) Begin(native.Reading, []native.Change) error { return j.begin() }

// Sending writes down what is going to be sent. If that cannot be written, nothing
// is sent; what is undone is undone without being written.
func (j *wordsJournal) Sending(p backend.Phase[native.Change]) error {
	return j.note(p, record{Kind: "send", Phase: phaseOf(p), Changes: changeRecords(p.Changes)})
}

// Sent writes down what came of it.
func (j *wordsJournal) Sent(p backend.Phase[native.Change], err error) error {
	return j.note(p, record{Kind: "sent", Phase: phaseOf(p), Error: errorText(err)})
}

// Confirming writes nothing: native values are not confirmed.
func (j *wordsJournal) Confirming() error { return nil }

// Cancelling writes nothing.
func (j *wordsJournal) Cancelling() {}

// phaseOf is the number of a phase, negative if it is undone.
func phaseOf(p backend.Phase[native.Change]) int {
	if p.Restore {
		return -p.Number
	}
	return p.Number
}

func (j *wordsJournal) note(p backend.Phase[native.Change], r record) error {
	if j.broken != nil {
		return nil // it has been said
	}
	err := j.write(r)
	if p.Restore {
		j.unsaid, err = err, nil
	}
	return err
}
