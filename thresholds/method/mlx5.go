package method

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

const (
	mlx5Source = "Linux mlx5 en/port_buffer.c, commit 0696d60853d5"

	// mlx5Slowest is the speed with which the driver computes all slower ports.
	mlx5Slowest = 40 * unit.Gbps
)

// MLX5 sizes the headroom of an NVIDIA NIC's receive buffer as the Linux driver does, for the host's end of a link:
//
//	xoff = (301 + 2.16 * metres) * Gb/s + 2.72 * MTU          bytes
//
// Here the sum is exact and rounded up once. The driver truncates each product and gets a few bytes less; a reading
// shows its result. Speeds below 40G count as 40G, as in the driver.
//
// The driver pauses at buffer - xoff, resumes one MTU lower, and refuses a buffer smaller than xoff + MTU + one cell.
// So in the Headroom, XOFF is xoff in bytes (Cells rounds it up), XON is MTU + cell, Size is their sum, and XONOffset
// is the MTU.
//
// The driver does not say what the constants cover. 2.16 bytes per metre and Gb/s are 17.28 ns, more than light takes
// in both directions. A measured Link.Delay replaces the cable: it counts as the length of fibre with this delay at 5
// ns/m, with the same factor. Link.Extra is added for each direction, without a factor. Medium, lossless MTU and
// overhead do not matter.
//
// Source: Linux mlx5 en/port_buffer.c, since commit 0696d60853d5.
type MLX5 struct{}

// Method returns "mlx5".
func (MLX5) Method() string { return "mlx5" }

// Validate returns nil: there are no parameters.
func (MLX5) Validate() error { return nil }

// mlx5Sum is the four parts in bytes, exactly.
type mlx5Sum struct{ fixed, cable, extra, frame exact.Ratio }

// sum returns the parts for a link.
func (MLX5) sum(l thresholds.Link) mlx5Sum {
	rate := int64(max(l.Rate, mlx5Slowest))
	length := exact.Whole(l.Cable)
	if l.Delay.IsGiven() {
		length = exact.Whole(l.Delay.Or(0)).Times(1, 5) // 5 ps for each millimetre
	}
	return mlx5Sum{
		fixed: exact.Whole(301).Times(rate, int64(unit.Gbps)),
		cable: length.Times(216, 100*int64(unit.Metre)).Times(rate, int64(unit.Gbps)),
		extra: exact.Whole(2*l.Added()).Times(rate, 8*int64(unit.Second)),
		frame: exact.Whole(l.MTU).Times(272, 100),
	}
}

// Size returns the driver's headroom. It allocates only if it returns an error.
func (m MLX5) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	if err := errors.Join(l.Validate(), mem.Validate()); err != nil {
		return thresholds.Headroom{}, err
	}
	s := m.sum(l)
	h := thresholds.Headroom{Method: m.Method(), XON: l.MTU + unit.Bytes(mem.Cell), XONOffset: unit.Given(l.MTU)}
	h.XOFF = unit.Bytes(s.fixed.Plus(s.cable).Plus(s.extra).Plus(s.frame).Ceil())
	h.Wire, h.BitTimes = h.XOFF, int64(h.XOFF)*8
	h.Cells = mem.Cell.Holding(h.XOFF)
	h.Size = h.XON + h.XOFF
	return h, nil
}

// Explain itemises xoff. Each term is rounded up, so their sum can exceed xoff by a few bytes.
func (m MLX5) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, err := m.Size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	s := m.sum(l)
	kind, source := thresholds.Driver, "2.16 bytes for each metre and Gb/s, whatever the medium is ("+mlx5Source+
		"); a measured Link.Delay replaces it, Link.Extra is a term of its own"
	if l.Delay.IsGiven() {
		kind, source = thresholds.Measured, fmt.Sprintf(
			"measured one-way delay %v as fibre of 5 ns/m, 2.16 bytes for each metre and Gb/s (%s)", l.Delay.Or(0),
			mlx5Source)
	}
	e := thresholds.Explanation{Headroom: h, Terms: []thresholds.Term{
		{Name: "fixed", Bytes: unit.Bytes(s.fixed.Ceil()), Kind: thresholds.Driver,
			Source: "301 bytes for each Gb/s (" + mlx5Source + ")"},
		{Name: "cable", Bytes: unit.Bytes(s.cable.Ceil()), Kind: kind, Source: source},
		{Name: "frames", Bytes: unit.Bytes(s.frame.Ceil()), Kind: thresholds.Driver, Source: "2.72 MTU (" +
			mlx5Source + ")"},
	}}
	if l.Added() > 0 {
		e.Terms = append(e.Terms, thresholds.Term{Name: "extra, both ways", Bytes: unit.Bytes(s.extra.Ceil()),
			Kind: thresholds.Operator, Source: addedText(l) + " each way"})
	}
	for i := range e.Terms {
		e.Terms[i].BitTimes = int64(e.Terms[i].Bytes) * 8
	}
	e.Readings = []thresholds.Reading{{Name: "exact", How: "rounded up once, then up to cells", Cells: h.Cells,
		Bytes: h.XOFF, Used: true}}
	if !l.Delay.IsGiven() && l.Added() == 0 {
		driver := m.truncated(l)
		e.Readings = append(e.Readings, thresholds.Reading{Name: "as the driver truncates",
			How: "integers, each product rounded down", Cells: mem.Cell.Holding(driver), Bytes: driver})
	}
	warnResponse(&e, l, "the driver's constants do not say what they hold of it")
	if l.Rate < mlx5Slowest {
		e.Warnings = append(e.Warnings, fmt.Sprintf("%v is computed as %v, the lowest speed of the driver",
			l.Rate, mlx5Slowest))
	}
	return e, nil
}

// truncated returns xoff in the driver's integers. A fraction of a metre counts as one metre.
func (MLX5) truncated(l thresholds.Link) unit.Bytes {
	metres := int64((l.Cable + unit.Metre - 1) / unit.Metre)
	mbps := int64(max(l.Rate, mlx5Slowest) / unit.Mbps)
	return unit.Bytes((301+216*metres/100)*mbps/1000) + 272*l.MTU/100
}
