// Package pools computes the sizes of the buffer pools that SONiC's device folders ship, and says what a shipped size
// was computed from.
//
// NVIDIA sizes the pools of a folder with a workbook that is not public. Its sum was found in what the folders ship:
// size and xoff of ingress_lossless_pool together are the memory in KiB, less 256 KiB, less a weight for each port. A
// [Question] answers with the sum item by item ([Question.Static]). [Find] reads a size backwards: for which ports the
// sum gives it. The folders of other vendors ship constants of a chip, or a remainder of its memory; [Expect] says what
// the other folders of the chip allow.
//
// It is not what a running switch computes in the dynamic model: that is package nos/sonic's.
package pools

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// Kind is how a folder divides the memory.
type Kind int

// The kinds.
const (
	Shared Kind = iota // one ingress pool with a shared headroom (Mellanox-*, xoff above 0)
	Lossy              // one ingress pool, and no lossless group
	Two                // a lossless and a lossy ingress pool of the same size, no shared headroom (ACS-*)
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"shared headroom", "lossy only", "two ingress pools"}[k]
}

// Ports are ports of one speed, width and role.
type Ports struct {
	Count int
	Speed unit.BitRate // 0: not known
	Lanes int
	// Lossy says that they have no lossless group: those to a data processing unit of the same switch (the role Dpc).
	Lossy  bool
	Inside bool        // they lead nowhere outside, and no pool counts them
	Cable  unit.Length // of their role; 0: not known
	Groups int         // lossless groups of each; 0: two. Those that carry a tunnel's traffic have four
}

// wide is the number of lanes from which a port has two buffers.
const wide = 8

// groups returns the lossless groups of each port.
func (p *Ports) groups() int {
	if p.Groups == 0 {
		return 2
	}
	return p.Groups
}

// String returns ports as [ParsePorts] reads them: 48x50G/2@5m.
func (p Ports) String() string {
	text := fmt.Sprintf("%dx%s", p.Count, strings.TrimSuffix(strings.ReplaceAll(p.Speed.String(), " ", ""), "b/s"))
	if p.Lanes > 0 {
		text += "/" + strconv.Itoa(p.Lanes)
	}
	if p.Lossy {
		text += "d"
	}
	if p.Cable > 0 {
		text += "@" + strings.ReplaceAll(p.Cable.String(), " ", "")
	}
	return text
}

// mostPorts bounds a count of ports. The largest folder of 2026-08 has 520.
const mostPorts = 8192

// ParsePorts reads kinds of ports with blanks or commas between them: COUNTxSPEED[/LANES[d|i]][@CABLE], such as
// 48x50G/2@5m. The letter d says that they lead to a data processing unit, i that they lead nowhere outside.
func ParsePorts(text string) (out []Ports, err error) {
	for field := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		p, err := parsePorts(field)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func parsePorts(field string) (p Ports, err error) {
	bad := func(what string) (Ports, error) {
		return p, fmt.Errorf("ports %q: %s: want COUNTxSPEED/LANES@CABLE, such as 48x50G@5m", cut(field), what)
	}
	rest, cable, at := strings.Cut(field, "@")
	if at {
		if p.Cable, err = unit.ParseLength(cable); err != nil || p.Cable <= 0 {
			return bad("the cable is no length")
		}
	}
	rest, lanes, slash := strings.Cut(rest, "/")
	if slash {
		p.Lossy, p.Inside = strings.HasSuffix(lanes, "d"), strings.HasSuffix(lanes, "i")
		if p.Lanes, err = strconv.Atoi(strings.TrimRight(lanes, "di")); err != nil || p.Lanes < 1 || p.Lanes > 16 {
			return bad("lanes: want 1 to 16")
		}
	}
	count, speed, times := strings.Cut(rest, "x")
	if p.Count, err = strconv.Atoi(count); !times || err != nil || p.Count < 1 || p.Count > mostPorts {
		return bad(fmt.Sprintf("the count: want 1 to %d", mostPorts))
	}
	if speed == "0G" { // a folder whose ports have no speed
		return p, nil
	}
	if p.Speed, err = unit.ParseBitRate(speed); err != nil || p.Speed <= 0 {
		return bad("the speed")
	}
	return p, nil
}

// cut shortens a text for a message.
func cut(text string) string { return text[:min(len(text), 40)] }

// Number adds up ports that a pool counts.
func Number(all []Ports) (n int) {
	for i := range all {
		if !all[i].Inside {
			n += all[i].Count
		}
	}
	return n
}
