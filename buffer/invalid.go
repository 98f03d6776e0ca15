package buffer

import (
	"errors"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// ErrInvalid is the kind of error that says the input is malformed, as opposed
// to a plan that does not fit.
var ErrInvalid = errors.New("invalid input")

// Complaint is one thing wrong with an intent or a chip.
type Complaint struct {
	Path     string // where: "classes[0].alpha"
	Value    string // what stands there
	Accepted string // what would do
}

// InvalidError is everything that is wrong with an input, at once.
type InvalidError struct{ Complaints []Complaint }

// Error lists the complaints, one a line. Of many it lists the first, and says how
// many the others are.
func (e *InvalidError) Error() string {
	var bad fielderr.List
	for _, c := range e.Complaints {
		bad = append(bad, errors.New(c.String()))
	}
	if len(bad) == 0 {
		return ""
	}
	return bad.Err().Error()
}

// Is makes every InvalidError an ErrInvalid.
func (e *InvalidError) Is(target error) bool { return target == ErrInvalid }

// String prints path, value and what is accepted.
func (c Complaint) String() string { return fielderr.Complaint(c).Listed() }

// Invalid returns the complaints as an *InvalidError; nil if there are none.
func Invalid(bad fielderr.List) error {
	if len(bad) == 0 {
		return nil
	}
	err := &InvalidError{}
	for _, c := range bad.Complaints() {
		err.Complaints = append(err.Complaints, Complaint(c))
	}
	return err
}
