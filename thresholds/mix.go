package thresholds

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Mix is the frames that fill a headroom: the worst mixture of all frames from a size on, or up to three sizes, each
// with its share of the number of frames in percent. The zero Mix states nothing.
type Mix struct {
	Shares [3]FrameShare
	From   unit.Bytes // the worst mixture of the frames of this size and of more; 0: Shares say which frames
	// WithoutGap counts frames that follow each other without preamble and gap, which no Ethernet port can send. It is
	// the way in which vendors' formulas count. With From it is the one size that wastes most cells.
	WithoutGap bool
}

// FrameShare is a frame size and its share of the number of frames.
type FrameShare struct {
	Size    unit.Bytes
	Percent int64
}

// WorstFrames returns the worst mixture of all frames that a class can send: see [WorstArrival].
func WorstFrames() Mix { return FramesFrom(MinFrame) }

// FramesFrom returns the worst mixture of the frames of a size and of more.
func FramesFrom(size unit.Bytes) Mix { return Mix{From: size} }

// Frames returns the mix with frames of one size.
func Frames(size unit.Bytes) Mix { return Mix{Shares: [3]FrameShare{{size, 100}}} }

// The words in the text form of a Mix.
const (
	worst      = "worst"        // WorstFrames
	andMore    = "-and-more"    // FramesFrom
	withoutGap = "-without-gap" // Mix.WithoutGap
)

// On returns the mix on a link and in a memory. The worst mix without gap is the one size that wastes most cells among
// those that the class can send. Any other mix stays as it is.
func (m Mix) On(l Link, mem Memory) Mix {
	if m.From == 0 || !m.WithoutGap {
		return m
	}
	one := Frames(WorstFrame(mem, 0, MinFrame, l.LosslessMTU))
	one.WithoutGap = true
	return one
}

// ParseMix reads one size, "64B", sizes with their shares, "64B:50%,1500B:50%", a size with all longer ones,
// "64B-and-more", or "worst", which is [WorstFrames]. Each can end with "-without-gap", but for a size with all longer
// ones.
func ParseMix(text string) (Mix, error) {
	frames, gapless := strings.CutSuffix(text, withoutGap)
	m, err := parseMixture(frames)
	switch {
	case err == nil:
	case fielderr.Quotes(err, text):
		return Mix{}, err
	default:
		return Mix{}, fmt.Errorf("frames %q: %w", text, err)
	}
	m.WithoutGap = gapless
	return m, m.Validate()
}

// parseMixture reads the frames of a text, without its ending -without-gap.
func parseMixture(text string) (m Mix, err error) {
	if text == worst {
		return WorstFrames(), nil
	}
	if size, more := strings.CutSuffix(text, andMore); more {
		m.From, err = unit.ParseBytes(size)
		if err == nil && m.From < MinFrame { // 0B would state nothing
			err = fmt.Errorf("frames of %v (want %v to %v)", m.From, MinFrame, MaxFrameSize)
		}
		return m, err
	}
	parts := strings.Split(text, ",")
	if len(parts) > len(m.Shares) {
		return m, fmt.Errorf("%d sizes (want at most %d)", len(parts), len(m.Shares))
	}
	for i, part := range parts {
		size, share, shared := strings.Cut(part, ":")
		if !shared && len(parts) == 1 {
			share = "100%"
		}
		b, err := unit.ParseBytes(size)
		if err != nil {
			return m, err
		}
		p, err := unit.ParsePercent(share)
		if err != nil {
			return m, err
		}
		if p%unit.OnePercent != 0 {
			return m, fmt.Errorf("%v (want whole percents)", p)
		}
		m.Shares[i] = FrameShare{b, int64(p / unit.OnePercent)}
	}
	return m, nil
}

// Validate refuses sizes that no frame has, and shares whose sum is not 100%.
func (m Mix) Validate() error {
	if m.Valid() {
		return nil
	}
	return fmt.Errorf("frames of %v: want sizes from %v to %v: one (64B), up to three whose shares sum to 100%% "+
		"(64B:50%%,1500B:50%%), one with all longer ones (64B%s), or %s; %s may follow, but not on %s", m, MinFrame,
		MaxFrameSize, andMore, worst, withoutGap, andMore)
}

// CheckLink refuses a mix with frames that are longer than those of the lossless class
// of a link: it would claim fewer cells than the class can take.
func (m Mix) CheckLink(l Link) error {
	if longest := m.Longest(); longest > l.LosslessMTU {
		return fmt.Errorf("frames of %v fill the headroom (want at most the %v that frames of the lossless class have; "+
			"shorter frames take more cells)", longest, l.LosslessMTU)
	}
	return nil
}

// Longest returns the longest frame that the mix names; 0 if the class decides which frames it has.
func (m Mix) Longest() unit.Bytes {
	if m.From > MinFrame {
		return m.From
	}
	var longest unit.Bytes
	for _, f := range m.Shares {
		longest = max(longest, f.Size)
	}
	return longest
}

// Valid tells whether Validate would return nil. It allocates nothing.
func (m Mix) Valid() bool {
	if m.From != 0 {
		return m.From >= MinFrame && m.From <= MaxFrameSize && m.Shares == [3]FrameShare{} &&
			(m.From == MinFrame || !m.WithoutGap)
	}
	sum := int64(0)
	for _, f := range m.Shares {
		if f == (FrameShare{}) {
			continue
		}
		if f.Size < MinFrame || f.Size > MaxFrameSize || f.Percent < 1 || f.Percent > 100 {
			return false
		}
		sum += f.Percent
	}
	return sum == 100
}

// String returns the mix as ParseMix reads it.
func (m Mix) String() string {
	text := m.mixture()
	if m.WithoutGap {
		text += withoutGap
	}
	return text
}

// mixture returns the text without the ending -without-gap.
func (m Mix) mixture() string {
	switch {
	case m.From == MinFrame:
		return worst
	case m.From != 0:
		return m.From.String() + andMore
	case m.single():
		return m.Shares[0].Size.String()
	}
	var out []string
	for _, f := range m.Shares {
		if f != (FrameShare{}) {
			out = append(out, fmt.Sprintf("%v:%d%%", f.Size, f.Percent))
		}
	}
	return strings.Join(out, ",")
}

// Words says in a sentence which frames fill the headroom: "the worst mixture of all frames", "frames of 64B without
// preamble and gap"; empty for a mix that states nothing.
func (m Mix) Words() string {
	var text string
	switch {
	case m == Mix{}:
		return ""
	case m.From == MinFrame && m.WithoutGap:
		text = "frames of the size that wastes most cells"
	case m.From == MinFrame:
		text = "the worst mixture of all frames"
	case m.From != 0:
		text = fmt.Sprintf("the worst mixture of frames of %v and more", m.From)
	default:
		text = "frames of " + m.mixture()
	}
	if m.WithoutGap {
		text += " without preamble and gap"
	}
	return text
}

// MarshalText returns what String returns.
func (m Mix) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// weights returns, for a hundred frames: the bytes stored, the bytes on the link with preamble and gap, and the cells.
// It also returns the cells of the largest frame.
func (m Mix) weights(mem Memory) (stored, wire unit.Bytes, inCells, largest cells.Count) {
	for _, f := range m.Shares {
		if f.Percent == 0 {
			continue
		}
		n := mem.Cell.Packet(f.Size, mem.Overhead)
		stored += f.Size * unit.Bytes(f.Percent)
		wire += (f.Size + WireBytes) * unit.Bytes(f.Percent)
		inCells += n * cells.Count(f.Percent)
		largest = max(largest, n)
	}
	return stored, wire, inCells, largest
}

// Frame returns the frame size if there is only one; otherwise 0.
func (m Mix) Frame() unit.Bytes {
	if m.single() {
		return m.Shares[0].Size
	}
	return 0
}

// WorstFrame returns the frame size from the shortest to the longest that fills a memory fastest: the one with most
// cells for its time on the wire. Each frame takes gap bytes more on the wire: [WireBytes] for Ethernet, or 0 to give
// no credit for them. Of equal sizes it returns the shortest. Frames of several sizes can bring more: see
// [WorstArrival].
//
// In cells of 208 bytes with 64 bytes of overhead the worst frame is 145 bytes, two cells for 165 bytes on the wire.
// This is the worst case of Broadcom's own formula.
func WorstFrame(mem Memory, gap, shortest, longest unit.Bytes) unit.Bytes {
	k := newKnapsack(0, shortest, longest, gap, mem)
	switch {
	case k.leastIsDensest():
		return shortest
	case k.b >= 0:
		return unit.Bytes(k.most*k.cell + k.b - k.gap)
	}
	return unit.Bytes(k.next.wire - k.gap)
}

// single tells whether there is only one frame size.
func (m Mix) single() bool { return m.Shares[0].Percent == 100 }

// Store returns the cells for n bit times of frames, of which the longest that the class sends is given. Only whole
// frames arrive, and they do not share cells. The frame that causes the pause is one of them.
func (m Mix) Store(n int64, longest unit.Bytes, mem Memory) cells.Count {
	switch {
	case m.From != 0:
		return WorstArrival(n, m.From, longest, WireBytes, mem).Cells
	case m.WithoutGap:
		return m.storeWithoutGap(n, mem)
	}
	_, wire, inCells, largest := m.weights(mem)
	if m.single() {
		bits := int64(m.Shares[0].Size+WireBytes) * 8
		return cells.Count((n+bits-1)/bits) * largest
	}
	// In any order of the frames the cells lie at most one frame above the mean.
	return cells.Count(exact.Of(n, 8).Times(int64(inCells), int64(wire)).Ceil()) + largest - 1
}

// storeWithoutGap is Store for frames without preamble and gap.
func (m Mix) storeWithoutGap(n int64, mem Memory) cells.Count {
	stored, _, inCells, largest := m.weights(mem)
	bytes := int64(unit.InBytes(n))
	if m.single() {
		size := int64(m.Shares[0].Size)
		return cells.Count((bytes+size-1)/size) * largest
	}
	return cells.Count(exact.Whole(bytes).Times(int64(inCells), int64(stored)).Ceil()) + largest - 1
}

// shrunkGap is the gap that can be left of Ethernet's 12 bytes at a receiver: 5 bytes at 10G, 1 byte at 40G and above
// (IEEE 802.3 4.4.2, recalled; the text was not at hand). The average gap stays 12 bytes but for the difference of two
// clocks. So shrunken gaps throughout are more than a conforming link brings, and are shown as a margin.
func shrunkGap(rate unit.BitRate) unit.Bytes {
	if rate < 40*unit.Gbps {
		return preambleBits/8 + 5
	}
	return preambleBits/8 + 1
}

// Readings lists the ways of storing what arrives in n bit times of a link, with the used one marked.
func (m Mix) Readings(n int64, l Link, mem Memory) []Reading {
	used := m.Store(n, l.LosslessMTU, mem)
	of := func(name, how string, c cells.Count) Reading {
		return Reading{Name: name, How: how, Cells: c, Bytes: mem.Cell.Bytes(c)}
	}
	var out []Reading
	bare := m.On(l, mem)
	if m.From != 0 && !m.WithoutGap {
		a := WorstArrival(n, m.From, l.LosslessMTU, WireBytes, mem)
		shrunk := WorstArrival(n, m.From, l.LosslessMTU, shrunkGap(l.Rate), mem)
		out = append(out, of("worst mixture", a.String(), used), of("shrunken gaps", fmt.Sprintf("the same with %v of "+
			"preamble and gap throughout, which a receiver can see of single frames: a margin", shrunkGap(l.Rate)),
			shrunk.Cells))
		out[0].Used = true
		bare = Frames(WorstFrame(mem, 0, MinFrame, l.LosslessMTU))
		if m.From > MinFrame {
			bare = Frames(m.From)
		}
	}
	bare.WithoutGap = true
	spaced := bare
	spaced.WithoutGap = false
	return append(out, bare.plainReadings(n, l, mem, m, spaced)...)
}

// plainReadings lists the three ways of storing frames of given sizes.
func (m Mix) plainReadings(n int64, l Link, mem Memory, used, spaced Mix) []Reading {
	stored, _, inCells, largest := m.weights(mem)
	perByte := fmt.Sprintf("bytes x %d/%d", mem.Cell.Bytes(inCells), stored)
	frames := fmt.Sprintf("frames of %v", spaced)
	if m.single() {
		perByte = fmt.Sprintf("bytes x %d/%d", mem.Cell.Bytes(largest), m.Frame())
		frames += fmt.Sprintf(", cells for each: %d", largest)
	}
	expanded := unit.Bytes(exact.Whole(unit.InBytes(n)).Times(int64(mem.Cell.Bytes(inCells)), int64(stored)).Ceil())
	bare, gaps := m.Store(n, l.LosslessMTU, mem), spaced.Store(n, l.LosslessMTU, mem)
	return []Reading{
		{Name: "expansion", How: perByte, Cells: mem.Cell.Holding(expanded), Bytes: expanded},
		{Name: "whole frames", How: frames, Cells: bare, Bytes: mem.Cell.Bytes(bare), Used: used.WithoutGap},
		{Name: "frames with gap", How: fmt.Sprintf("frames of %v + %v gap and preamble, which are not stored", spaced,
			WireBytes), Cells: gaps, Bytes: mem.Cell.Bytes(gaps), Used: used == spaced},
	}
}
