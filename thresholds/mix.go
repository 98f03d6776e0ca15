package thresholds

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// Mix is the frames that fill a headroom: up to three sizes, each with its
// share of the number of frames in percent. The zero Mix states nothing.
type Mix [3]FrameShare

// FrameShare is a frame size and its share of the number of frames.
type FrameShare struct {
	Size    unit.Bytes
	Percent int64
}

// WorstFrames returns the mix with frames of the one size that wastes most cells.
// The link and the memory decide which size it is: see [Mix.On].
func WorstFrames() Mix { return Mix{{Percent: 100}} }

// worst is the text form of WorstFrames.
const worst = "worst"

// On returns the mix on a link and in a memory. For WorstFrames it is the size
// that wastes most cells among those that the class can send, without credit for
// preamble and gap, as in the reading that is used. Any other mix stays as it is.
func (m Mix) On(l Link, mem Memory) Mix {
	if m != WorstFrames() {
		return m
	}
	return Frames(WorstFrame(mem, 0, l.LosslessMTU))
}

// Frames returns the mix with frames of one size.
func Frames(size unit.Bytes) Mix { return Mix{{size, 100}} }

// ParseMix reads one size, "64B", sizes with their shares, "64B:50%,1500B:50%",
// or "worst", which is [WorstFrames].
func ParseMix(text string) (Mix, error) {
	var m Mix
	if text == worst {
		return WorstFrames(), nil
	}
	parts := strings.Split(text, ",")
	if len(parts) > len(m) {
		return Mix{}, fmt.Errorf("%q is not a mix of frames: %d sizes (want at most %d)", text, len(parts), len(m))
	}
	for i, part := range parts {
		size, share, shared := strings.Cut(part, ":")
		if !shared && len(parts) == 1 {
			share = "100%"
		}
		b, err := unit.ParseBytes(size)
		if err != nil {
			return Mix{}, fmt.Errorf("mix %q: %w", text, err)
		}
		p, err := unit.ParsePercent(share)
		if err != nil {
			return Mix{}, fmt.Errorf("mix %q: %w", text, err)
		}
		if p%unit.OnePercent != 0 {
			return Mix{}, fmt.Errorf("mix %q: %v (want whole percents)", text, p)
		}
		m[i] = FrameShare{b, int64(p / unit.OnePercent)}
	}
	if m == WorstFrames() { // a size of 0B, which is not the word
		return Mix{}, fmt.Errorf("mix %q: frames of 0B (want %v to %v, or %s)", text, MinFrame, MaxFrameSize, worst)
	}
	return m, m.Validate()
}

// Validate refuses sizes that no frame has, and shares whose sum is not 100%.
func (m Mix) Validate() error {
	if m.Valid() {
		return nil
	}
	return fmt.Errorf("frames %v: want %v to %v, one size alone or up to three whose shares sum to 100%%, or %s",
		m,
		MinFrame, MaxFrameSize, worst)
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

// Longest returns the longest frame of the mix; 0 if it states none.
func (m Mix) Longest() unit.Bytes {
	var longest unit.Bytes
	for _, f := range m {
		longest = max(longest, f.Size)
	}
	return longest
}

// Valid tells whether Validate would return nil. It allocates nothing.
func (m Mix) Valid() bool {
	if m == WorstFrames() {
		return true
	}
	sum := int64(0)
	for _, f := range m {
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
	if m == WorstFrames() {
		return worst
	}
	if m[0].Percent == 100 {
		return m[0].Size.String()
	}
	var out []string
	for _, f := range m {
		if f != (FrameShare{}) {
			out = append(out, fmt.Sprintf("%v:%d%%", f.Size, f.Percent))
		}
	}
	return strings.Join(out, ",")
}

// MarshalText returns what String returns.
func (m Mix) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// weights returns, for a hundred frames: the bytes stored, the bytes on the
// link with preamble and gap, and the cells. It also returns the cells of the
// largest frame.
func (m Mix) weights(mem Memory) (stored, wire unit.Bytes, inCells, largest cells.Count) {
	for _, f := range m {
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
		return m[0].Size
	}
	return 0
}

// WorstFrame returns the frame size, up to the longest, that fills a memory
// fastest: the one with most cells for its time on the wire. Each frame takes
// gap bytes more on the wire: [WireBytes] for Ethernet, or 0 to give no credit
// for them. Of equal sizes it returns the shortest.
//
// Only the shortest frame of each number of cells can be the worst, because a
// longer one takes more time for the same cells. Their quotient, (n+1) / (n*cell +
// 1 + gap - overhead), falls or rises with n throughout: where it falls, the first
// of them is the worst. In cells of 208 bytes with 64
// bytes of overhead the worst frame is 145 bytes, two cells for 165 bytes on the
// wire. This is the worst case of Broadcom's own formula.
func WorstFrame(mem Memory, gap, longest unit.Bytes) unit.Bytes {
	worst, most := MinFrame, mem.Cell.Packet(MinFrame, mem.Overhead)
	for n := most; ; n++ {
		size := mem.Cell.Bytes(n) - mem.Overhead + 1 // shortest frame of n+1 cells
		if size > longest {
			return worst
		}
		if size <= MinFrame {
			continue
		}
		if int64(n+1)*int64(worst+gap) > int64(most)*int64(size+gap) {
			worst, most = size, n+1
		}
		if gap+1 <= unit.Bytes(mem.Cell)+mem.Overhead {
			return worst
		}
	}
}

// single tells whether there is only one frame size.
func (m Mix) single() bool { return m[0].Percent == 100 }

// Store returns the cells for n bit times of frames, by the reading that is
// used: only whole frames, which do not share cells, and no credit for preamble
// and gap, which are not stored.
func (m Mix) Store(bitTimes int64, mem Memory) cells.Count {
	stored, _, inCells, largest := m.weights(mem)
	bytes := int64(unit.InBytes(bitTimes))
	if m.single() {
		return cells.Count((bytes+int64(m[0].Size)-1)/int64(m[0].Size)) * largest
	}
	// In any order of the frames the cells lie at most one frame above the mean.
	return cells.Count(exact.Whole(bytes).Times(int64(inCells), int64(stored)).Ceil()) + largest - 1
}

// Readings lists the three ways of storing what arrives in n bit times. The
// second one gives the most cells and is used.
func (m Mix) Readings(n int64, mem Memory) []Reading {
	stored, wire, inCells, largest := m.weights(mem)
	bytes := unit.InBytes(n)
	perByte := fmt.Sprintf("bytes x %d/%d", mem.Cell.Bytes(inCells), stored)
	frames := fmt.Sprintf("frames of %v", m)
	if m.single() {
		perByte = fmt.Sprintf("bytes x %d/%d", mem.Cell.Bytes(largest), m[0].Size)
		frames += fmt.Sprintf(", cells for each: %d", largest)
	}
	expanded := unit.Bytes(exact.Whole(bytes).Times(int64(mem.Cell.Bytes(inCells)), int64(stored)).Ceil())
	used := m.Store(n, mem)
	spaced := cells.Count(exact.Of(n, 8).Times(int64(inCells), int64(wire)).Ceil())
	if m.single() {
		bits := int64(m[0].Size+WireBytes) * 8
		spaced = cells.Count((n+bits-1)/bits) * largest
	}
	return []Reading{
		{Name: "expansion", How: perByte, Cells: mem.Cell.Holding(expanded), Bytes: expanded},
		{Name: "whole frames", How: frames, Cells: used, Bytes: mem.Cell.Bytes(used), Used: true},
		{Name: "frames with gap", How: fmt.Sprintf("frames of %v + %v gap and preamble, which are not stored", m,
			WireBytes), Cells: spaced, Bytes: mem.Cell.Bytes(spaced)},
	}
}
