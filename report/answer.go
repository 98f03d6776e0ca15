package report

import (
	"encoding/json"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// Answer is the short answer for one of many topologies: a line of `plan --lines`, a point of `sweep`.
type Answer struct {
	ID   json.RawMessage `json:"id,omitempty"` // of the topology, as it says it
	Line int             `json:"line"`         // from 1: of the lines, or of the files
	// Vary is the values of a sweep's point, by the name of what varies, in the order of the command.
	Vary json.RawMessage `json:"vary,omitempty"`
	Fits bool            `json:"fits"`
	// HeadroomShared qualifies Fits: see PlanDocument.
	HeadroomShared string `json:"headroom_shared,omitempty"`
	// Refused is the number of refused ports, and First why the first of them is.
	Refused int     `json:"refused_ports"`
	First   string  `json:"first_refusal"`
	Slices  []Slice `json:"slices"`
	Error   string  `json:"error"` // why there is no plan; empty: there is one

	Plan    *PlanDocument     `json:"plan,omitempty"`     // the whole plan, if it was asked for
	Answers *CapacityDocument `json:"capacity,omitempty"` // the answers of capacity, if they were asked for
}

// AnswerOf returns the short answer for an admitted, or refused, intent.
func AnswerOf(a *buffer.Admission) Answer {
	out := Answer{Fits: true, HeadroomShared: headroomShared(a.SharedHeadroom()),
		Slices: grouped.Each(a.SliceBills(), func(s buffer.SliceBill) Slice { return Slice(s) })}
	if denied, refused := a.FirstDenied(); refused {
		out.Fits, out.Refused = false, len(a.Denied())
		out.First = buffer.NewRefusal(denied.Port, denied.Shortfall).Error()
	}
	return out
}

// AnswerError returns the answer for a topology that cannot be planned.
func AnswerError(err error) Answer { return Answer{Slices: []Slice{}, Error: err.Error()} }
