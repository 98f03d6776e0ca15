package qos

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// ErrInexpressible says that OpenConfig has no leaf for a value.
var ErrInexpressible = errors.New("openconfig cannot express it")

// maxCell is the most bytes that a cell may have: more than any chip's.
const maxCell = 1 << 20

// ValidateCell returns nil, or a *buffer.InvalidError if no chip has cells of
// this size.
func ValidateCell(cell cells.Size) error {
	if cell >= 1 && cell <= maxCell {
		return nil
	}
	return complain([]buffer.Complaint{{Path: "cell", Value: fmt.Sprint(int64(cell)), Accepted: "1 to 1048576 bytes"}})
}

// complain makes an error of complaints; none is no error.
func complain(bad []buffer.Complaint) error {
	if len(bad) == 0 {
		return nil
	}
	return &buffer.InvalidError{Complaints: bad}
}
