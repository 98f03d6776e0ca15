package buffer

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNoFit is the kind of error that says a plan does not fit its chip.
var ErrNoFit = errors.New("ingress buffer allocation failed")

// Refusal says which interface got nothing, and why.
type Refusal struct {
	Port string
	Shortfall
	Message string // as a switch logs it
	Detail  string // the numbers in a sentence

	Consumers []Consumer // of the slice, largest first
	Remedies  []Remedy   // each alone makes the whole plan fit
}

// Error is the message and the numbers.
func (r *Refusal) Error() string { return r.Message + ": " + r.Detail }

// Is makes every Refusal an ErrNoFit.
func (r *Refusal) Is(target error) bool { return target == ErrNoFit }

// NewRefusal puts a shortfall into words. An empty port means the pools of the slice themselves.
func NewRefusal(port string, s Shortfall) *Refusal {
	who := "interface " + port
	if port == "" {
		who = fmt.Sprintf("the pools of slice %d", s.Slice)
	}
	return &Refusal{Port: port, Shortfall: s, Message: ErrNoFit.Error() + " for " + who, Detail: s.String(),
		Consumers: []Consumer{}, Remedies: []Remedy{}}
}

// Subject names the port, or the slice if the pools themselves do not fit.
func (r *Refusal) Subject() string {
	if r.Port == "" {
		return fmt.Sprintf("slice %d", r.Slice)
	}
	return r.Port
}

// refusal is the refusal of the i-th port. The consumers of each slice are listed
// once for all refusals of a plan: known has those that were.
func (a *Admission) refusal(i int, known map[int][]Consumer) *Refusal {
	r := NewRefusal(a.in.Ports[i].Name, a.ports[i].short)
	if _, listed := known[r.Slice]; !listed {
		known[r.Slice] = a.consumers(r.Slice)
	}
	r.Consumers = slices.Clone(known[r.Slice])
	return r
}
