package table

import "github.com/cellwarden/cellwarden/unit"

// What tests outside the package compare with.
var (
	ErrFlat      = errFlat
	ErrOneLength = errOneLength
)

// OffBy returns the distance of the line from an xoff at a length, in percent of that xoff. For a row that was left out
// of the series it is the error of the prediction.
func (f *Fit) OffBy(cable unit.Length, xoff unit.Bytes) Thousandths {
	return offBy(f.line(cable), xoff)
}
