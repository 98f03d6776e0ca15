package behaviour

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// SiliconOne is a family of Cisco's Silicon One, with the name that sonic-mgmt
// uses. The product behind each name is inferred.
type SiliconOne int

// The families.
const (
	SiliconOneGB   SiliconOne = iota // gb: Q200
	SiliconOneGR                     // gr: G100
	SiliconOneGR2                    // gr2: G200
	SiliconOneP200                   // p200
	siliconOnes
)

// siliconOneNames are the names in sonic-mgmt.
var siliconOneNames = [siliconOnes]string{"gb", "gr", "gr2", "p200"}

// ParseSiliconOne reads "gb", "gr", "gr2" or "p200".
func ParseSiliconOne(text string) (SiliconOne, error) {
	for f, name := range siliconOneNames {
		if text == name {
			return SiliconOne(f), nil
		}
	}
	return 0, fmt.Errorf("%q is not a Silicon One family (accepted: gb, gr, gr2, p200)", text)
}

// String returns the name of the family.
func (f SiliconOne) String() string {
	if f < 0 || f >= siliconOnes {
		return fmt.Sprintf("SiliconOne(%d)", int(f))
	}
	return siliconOneNames[f]
}

// shares tells whether the dynamic threshold is a share of the pool. In the two
// older families it is a multiple of the pool below a fixed maximum.
func (f SiliconOne) shares() bool { return f >= SiliconOneGR2 }

// Cell returns the buffer unit: 384 bytes, or 512 in the two newer families.
func (f SiliconOne) Cell() cells.Size {
	if f.shares() {
		return 512
	}
	return 384
}

// maxQueue is the deepest queue of the two older families, in bytes.
func (f SiliconOne) maxQueue() int64 {
	if f == SiliconOneGR {
		return 24576000
	}
	return 6144000
}

// Threshold returns the threshold in the hardware when b is configured: whole
// buffer units, rounded down, stored with a mantissa of 5 bits, rounded down.
// gb stores b unchanged. For less than 16 units gr's conversion in sonic-mgmt
// finds no mantissa; here such a number is exact.
func (f SiliconOne) Threshold(b unit.Bytes) unit.Bytes {
	if f == SiliconOneGB {
		return b
	}
	return f.Cell().Bytes(thresholds.Mantissa(5).Down(f.Cell().Within(b)))
}

// Headroom returns the headroom in the hardware when xoff is configured. p200
// rounds up to whole units with a mantissa of 4 bits, so that no byte is
// missing; the others store it unchanged. That p200's mantissa counts units of
// 512 bytes is inferred.
func (f SiliconOne) Headroom(xoff unit.Bytes) unit.Bytes {
	if f != SiliconOneP200 {
		return xoff
	}
	return f.Cell().Bytes(thresholds.Mantissa(4).Up(f.Cell().Holding(xoff)))
}

// HeadroomPackets returns how many packets of a length the headroom holds. gr2
// stores a packet in pieces of 32 bytes and two more, the others store it in
// buffer units.
func (f SiliconOne) HeadroomPackets(xoff, packet unit.Bytes) int64 {
	if f == SiliconOneGR2 {
		return int64(xoff) / 32 / int64(cells.Size(32).Holding(packet)+2)
	}
	return int64(f.Cell().Within(f.Headroom(xoff)) / max(f.Cell().Holding(packet), 1))
}

// SiliconOneProfile is a lossless profile of such a chip, and its pool.
type SiliconOneProfile struct {
	Pool      unit.Bytes // ingress lossless pool
	PoolXOFF  unit.Bytes // shared headroom inside the pool; matters for gr2 and p200
	Alpha     thresholds.Alpha
	XOFF      unit.Bytes // headroom of the group
	XON       unit.Bytes // gb and gr: fixed level at which a group resumes
	XONOffset unit.Bytes // gr2 and p200: the group resumes this far below the pause threshold
}

// SiliconOneThresholds are the thresholds in the hardware for a profile.
type SiliconOneThresholds struct {
	Requested unit.Bytes // pause threshold before rounding
	Pause     unit.Bytes
	Drop      unit.Bytes // pause threshold plus headroom; for packets on gr2 see HeadroomPackets
	Resume    unit.Bytes
}

// Thresholds returns where a group with the profile pauses, drops and resumes:
//
//	gb, gr      pause = min(alpha*pool, maximum queue less 7.48125 % less xoff)
//	gr2, p200   pause = (pool-shared headroom)*alpha/(1+alpha)
//
// rounded by Threshold. Negative sizes, an alpha out of range, and a headroom
// that leaves no room are refused. (Cisco's own parameters for SONiC's tests:
// sonic-mgmt, tests/qos/files/cisco.)
func (f SiliconOne) Thresholds(p SiliconOneProfile) (SiliconOneThresholds, error) {
	if err := f.validate(p); err != nil {
		return SiliconOneThresholds{}, err
	}
	num, den := p.Alpha.Ratio()
	t := SiliconOneThresholds{Resume: f.Threshold(p.XON)}
	if f.shares() {
		t.Requested = unit.Bytes(exact.Whole(p.Pool-p.PoolXOFF).Times(num, num+den).Floor())
	} else {
		deepest := exact.Whole(f.maxQueue()).Times(9251875, 10000000).Floor()
		t.Requested = min(unit.Bytes(exact.Whole(p.Pool).Times(num, den).Floor()), unit.Bytes(deepest)-p.XOFF)
	}
	t.Pause = f.Threshold(t.Requested)
	t.Drop = t.Pause + f.Headroom(p.XOFF)
	if f.shares() {
		t.Resume = f.Threshold(max(t.Pause-p.XONOffset, 0))
	}
	return t, nil
}

// validate refuses what Thresholds refuses.
func (f SiliconOne) validate(p SiliconOneProfile) error {
	var bad fielderr.List
	if f < 0 || f >= siliconOnes {
		bad.Add("", fmt.Sprintf("family %d", int(f)), "gb, gr, gr2, p200")
	}
	if !p.Alpha.Valid() {
		bad.Add("", fmt.Sprintf("alpha 2^%d", int(p.Alpha)),
			fmt.Sprintf("%v to %v", thresholds.MinAlpha, thresholds.MaxAlpha))
	}
	for _, b := range []unit.Bytes{p.Pool, p.PoolXOFF, p.XOFF, p.XON, p.XONOffset} {
		if b < 0 || b > 1<<40 {
			bad.Addf("%v: a size from 0B to %v was expected", b, unit.Bytes(1<<40))
		}
	}
	if p.PoolXOFF > p.Pool {
		bad.Addf("shared headroom %v is above the pool's %v", p.PoolXOFF, p.Pool)
	}
	if !f.shares() && f >= 0 && int64(p.XOFF) > f.maxQueue()*9251875/10000000 {
		bad.Addf("xoff %v leaves nothing of the deepest queue", p.XOFF)
	}
	return bad.Err()
}

// SiliconOneGroup returns the group of a lossless profile on a chip of the
// family: a static limit at the pause threshold as the hardware stores it
// (limited by the deepest queue in the two older families), headroom up to the
// drop threshold, and XON at the resume threshold. Cells are the family's
// buffer units, rounded down. It refuses what Thresholds refuses.
func SiliconOneGroup(family SiliconOne, p SiliconOneProfile) (mmu.Group, error) {
	t, err := family.Thresholds(p)
	if err != nil {
		return mmu.Group{}, err
	}
	cell := family.Cell()
	pause := cell.Within(t.Pause)
	return mmu.Group{Limit: thresholds.Static(pause), Lossless: true, Headroom: cell.Within(t.Drop) - pause,
		XON: thresholds.XON{Floor: cell.Within(t.Resume), Offset: pause}}, nil
}
