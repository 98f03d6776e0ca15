package method

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

const (
	mlxswSource = "Linux mlxsw spectrum_buffers.c"

	// mlxswPauseDelay is what the kernel assumes for PAUSE: 100 m, without MTU (bytes; mlxsw spectrum_ethtool.c).
	mlxswPauseDelay unit.Bytes = 19476

	// mlxswMostBits is the largest delay that struct ieee_pfc can carry: it has 16 bits for it.
	mlxswMostBits = 1<<16 - 1
)

// MLXSW sizes the headroom buffer of an NVIDIA Spectrum port as the Linux
// driver does. C(x) is the number of cells that hold x bytes:
//
//	threshold = 2 * C(MTU)                     all of a lossy buffer
//	rest      = 2 * C(delay) + C(MTU)          in addition, for a lossless buffer
//
// The delay is doubled because frames one byte longer than a cell take two cells each. The additional MTU is the frame
// that the sender has begun. Ports with eight lanes have two buffers, between which the size is divided, so everything
// is doubled.
//
// The operator gives the delay to the kernel (dcb pfc delay, in bits). Without one it is inferred as both directions of
// the link, cable and extra delay, at its rate. This is too little for a real port, because the sender's response time
// is missing. The link's extra delay is used for this default only. Lossless MTU and overhead do not matter.
//
// In the Headroom, XON is the threshold, XOFF and Cells are the rest, and Size is their sum.
//
// Not modelled: the driver's control buffer, its internal buffer for mirroring,
// and the check that all buffers of a port fit.
//
// Source: Linux mlxsw spectrum_buffers.c, spectrum_dcb.c, spectrum_ethtool.c.
type MLXSW struct {
	// DelayBits is the delay in bits, as dcb takes it; the driver rounds it up to bytes. Refused: negative, above 65,535
	// (the kernel's field has 16 bits), and together with DelayBytes or Pause.
	DelayBits unit.Optional[int64]
	// DelayBytes is the delay in bytes, for other ways of configuring the
	// driver. Refused: negative, above 64 MiB, and together
	// with the others.
	DelayBytes unit.Optional[unit.Bytes]
	// Pause is for a port with PAUSE frames in place of PFC. The driver then assumes 19,476 bytes.
	Pause bool
	// Lanes is the width of ports whose Link does not state it. 8 doubles everything. Zero: fewer than 8.
	// Refused: other values than 0, 1, 2, 4, 8.
	Lanes int
}

// Method returns "mlxsw".
func (MLXSW) Method() string { return "mlxsw" }

// Validate refuses values out of range, with all complaints in one error.
func (m MLXSW) Validate() error {
	var bad fielderr.List
	if bits := m.DelayBits.Or(0); bits < 0 || bits > mlxswMostBits {
		bad.Addf("delay of %d bits is not between 0 and %d", bits, mlxswMostBits)
	}
	fielderr.Between(&bad, "delay of", m.DelayBytes.Or(0), 0, 64*unit.MiB)
	inBits, inBytes := m.DelayBits.IsGiven(), m.DelayBytes.IsGiven()
	if (inBits && inBytes) || (m.Pause && (inBits || inBytes)) {
		bad.Add("", "more than one delay", "one of delay in bits, delay in bytes, pause")
	}
	if m.Lanes != 0 && m.Lanes != 1 && m.Lanes != 2 && m.Lanes != 4 && m.Lanes != 8 {
		bad.Add("", fmt.Sprintf("%d lanes", m.Lanes), "1, 2, 4, 8, or 0 for fewer than 8")
	}
	return refusal(m.Method(), bad)
}

// Size returns the driver's buffer. It allocates only if it returns an error.
func (m MLXSW) Size(l thresholds.Link, mem thresholds.Memory) (thresholds.Headroom, error) {
	if err := errors.Join(m.Validate(), l.Validate(), mem.Validate()); err != nil {
		return thresholds.Headroom{}, err
	}
	m.Lanes = cmp.Or(l.Lanes, m.Lanes)
	delay := m.delay(l)
	frame, buffers := mem.Cell.Holding(l.MTU), m.buffers()
	h := thresholds.Headroom{Method: m.Method(), Wire: delay + l.MTU, Mix: mlxswMix(mem)}
	h.BitTimes = int64(h.Wire) * 8
	h.Cells = buffers * (2*mem.Cell.Holding(delay) + frame)
	h.XOFF = mem.Cell.Bytes(h.Cells)
	h.XON = mem.Cell.Bytes(buffers * 2 * frame)
	h.Size = h.XON + h.XOFF
	return h, nil
}

// mlxswMix is the frames that the doubling assumes, without preamble and gap: one byte more than a cell,
// if a frame can be that small.
func mlxswMix(mem thresholds.Memory) thresholds.Mix {
	if size := unit.Bytes(mem.Cell) + 1; size >= thresholds.MinFrame && size <= thresholds.MaxFrameSize {
		return withoutGap(thresholds.Frames(size))
	}
	return thresholds.Mix{}
}

// delay returns the delay in bytes, rounded up.
func (m MLXSW) delay(l thresholds.Link) unit.Bytes {
	if m.Pause {
		return mlxswPauseDelay
	}
	if bits, ok := m.DelayBits.Get(); ok {
		return unit.InBytes(bits)
	}
	if delay, ok := m.DelayBytes.Get(); ok {
		return delay
	}
	return unit.Bytes(bothWays(l).Plus(exact.Whole(l.Response.Or(0)).Times(int64(l.Rate), 8*int64(unit.Second))).Ceil())
}

// buffers is the number of buffers between which the size is divided.
func (m MLXSW) buffers() cells.Count {
	if m.Lanes == 8 {
		return 2
	}
	return 1
}

// Explain itemises the buffer. The terms add up to Size.
func (m MLXSW) Explain(l thresholds.Link, mem thresholds.Memory) (thresholds.Explanation, error) {
	h, err := m.Size(l, mem)
	if err != nil {
		return thresholds.Explanation{}, err
	}
	// Ports of 400G and more can have 8 lanes, and the driver asks the port.
	assumed := l.Lanes == 0 && m.Lanes == 0 && l.Rate >= 400*unit.Gbps
	m.Lanes = cmp.Or(l.Lanes, m.Lanes)
	delay, frame := m.delay(l), mem.Cell.Holding(l.MTU)
	kind, source := m.delaySource(l)
	e := thresholds.Explanation{Headroom: h, Terms: []thresholds.Term{
		{Name: "threshold", Bytes: mem.Cell.Bytes(2 * frame), Kind: thresholds.Driver,
			Source: "MTU in whole cells, twice: what a lossy buffer has (" + mlxswSource + ")"},
		{Name: "delay", BitTimes: int64(delay) * 8, Bytes: mem.Cell.Bytes(2 * mem.Cell.Holding(delay)), Kind: kind,
			Source: source},
		{Name: "frame in transmission", BitTimes: int64(l.MTU) * 8, Bytes: mem.Cell.Bytes(frame),
			Kind: thresholds.Driver, Source: "MTU in whole cells (" + mlxswSource + ")"},
	}}
	if m.buffers() > 1 {
		e.Terms = append(e.Terms, thresholds.Term{Name: "second buffer", Bytes: h.Size / 2, Kind: thresholds.Driver,
			Source: "eight lanes have two headroom buffers (" + mlxswSource + ")"})
	}
	e.Readings = []thresholds.Reading{{Name: "doubled delay", How: "delay in whole cells, twice, and one MTU",
		Cells: h.Cells, Bytes: h.XOFF, Used: true}}
	e.WarnInferred()
	if assumed {
		e.Warnings = append(e.Warnings, fmt.Sprintf("assumed: a port of %v has fewer than 8 lanes; one of 8 has twice all "+
			"of it (%s)", l.Rate, mlxswSource))
	}
	if m.Pause || m.DelayBits.IsGiven() || m.DelayBytes.IsGiven() {
		warnResponse(&e, l, "the delay that the driver has is all of it")
		if l.Added() > 0 {
			e.Warnings = append(e.Warnings, l.AddedText()+" is not used: the delay that the driver has is all of it")
		}
	}
	if kind == thresholds.Inferred && int64(delay)*8 > mlxswMostBits {
		e.Warnings = append(e.Warnings, fmt.Sprintf("delay of %d bits is more than dcb can give to the kernel (%d)",
			int64(delay)*8, mlxswMostBits))
	}
	return e, nil
}

// delaySource returns the source of the delay.
func (m MLXSW) delaySource(l thresholds.Link) (thresholds.SourceKind, string) {
	const doubled = ", in whole cells, twice (" + mlxswSource + ")"
	switch {
	case m.Pause:
		return thresholds.Driver, fmt.Sprintf("%v for PAUSE over 100 m%s", mlxswPauseDelay, doubled)
	case m.DelayBits.IsGiven():
		return thresholds.Operator, fmt.Sprintf("dcb pfc delay of %d bits%s", m.DelayBits.Or(0), doubled)
	case m.DelayBytes.IsGiven():
		return thresholds.Operator, fmt.Sprintf("delay of %v%s", m.DelayBytes.Or(0), doubled)
	default:
		_, source := cableSource(l, "both ways")
		response := "without response time"
		if t, given := l.Response.Get(); given {
			response = fmt.Sprintf("with the response time %v given for its sender", t)
		}
		return thresholds.Inferred, fmt.Sprintf("no delay is given; inferred from the link alone, %s: %v%s; %s",
			response,
			m.delay(l), doubled, source)
	}
}
