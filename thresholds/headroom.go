package thresholds

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// Link is what a headroom depends on outside the switch: a cable with the
// port that pauses at one end and the sender at the other.
type Link struct {
	Rate        unit.BitRate // speed of the port
	Cable       unit.Length  // one way
	Medium      Medium       // what the cable is made of; zero: fibre at 5 ns/m
	Delay       unit.Time    // measured one-way delay, in place of Cable and Medium; 0: not measured
	Extra       unit.Time    // one-way delay beyond cable and interfaces: MACsec, FEC, gearbox, retimer; 0: none
	MTU         unit.Bytes   // longest frame of any class: what the pause frame may have to wait for
	LosslessMTU unit.Bytes   // longest frame of the paused class: what the sender may have begun
}

// Medium is how fast a cable is.
type Medium int

// The media, with the delay that is assumed.
const (
	Fibre       Medium = iota // 5 ns/m: 200,000 km/s
	Copper                    // 4.76 ns/m: 0.70 c (Cisco white paper c11-542809)
	SingleMode                // 5.13 ns/m: 0.65 c (the same paper)
	FibreNVIDIA               // 5.0505 ns/m: 198,000 km/s (SONiC's headroom plug-in)
	media
)

var mediumNames = [media]string{"fibre", "copper", "single-mode", "fibre-nvidia"}

// ParseMedium reads the name of a medium.
func ParseMedium(text string) (Medium, error) {
	for m, name := range mediumNames {
		if text == name {
			return Medium(m), nil
		}
	}
	return 0, fmt.Errorf("%q is not a medium (accepted: %s)", text, strings.Join(mediumNames[:], ", "))
}

// String names the medium.
func (m Medium) String() string { return mediumNames[m] }

// Delay returns how long light or a signal takes, exactly: picoseconds.
func (m Medium) Delay(l unit.Length) exact.Ratio {
	switch m {
	case Copper:
		return exact.Whole(l).Times(476, 100)
	case SingleMode:
		return exact.Whole(l).Times(513, 100)
	case FibreNVIDIA:
		return exact.Whole(l).Times(1000, 198)
	default:
		return exact.Whole(l).Times(5, 1)
	}
}

// Limits of what a Link may say; beyond them somebody mistyped.
const (
	MaxCable                = 1000 * unit.Kilometre
	MaxDelay                = 10 * unit.Millisecond // light through more than MaxCable of fibre
	MinFrame     unit.Bytes = 64                    // IEEE 802.3: minimum frame size
	MaxFrameSize unit.Bytes = 16384                 // above every jumbo frame in use
)

// OneWay returns the delay of one direction, cable and extra, exactly: ps.
func (l Link) OneWay() exact.Ratio {
	if l.Delay > 0 {
		return exact.Whole(l.Delay + l.Extra)
	}
	return l.Medium.Delay(l.Cable).Plus(exact.Whole(l.Extra))
}

// Memory is what a headroom depends on inside the switch.
type Memory struct {
	Cell     cells.Size // bytes per cell
	Overhead unit.Bytes // what the chip stores with each packet, beside the packet
}

// Headroom is a sized headroom in numbers. Methods leave out what they do not
// know; an absent number is 0.
type Headroom struct {
	Method    string      // which Sizer made it
	BitTimes  int64       // the sum of the delays, where the method reckons with time
	Wire      unit.Bytes  // the same in bytes: what arrives after the pause was decided
	Cells     cells.Count // what a priority group is to be given
	XOFF      unit.Bytes  // SAI's XOFF_TH; Cells in bytes unless the method gives bytes of its own
	XON       unit.Bytes  // what the method wants before XOFF: pipeline latency, pause threshold
	XONOffset unit.Bytes  // resume this far under the limit
	Size      unit.Bytes  // XON and XOFF together, as the method counts them
	Mix       Mix         // frames assumed to fill the headroom; zero: the method does not say
	Profile   Profile     // what a vendor's table states beside the headroom; zero: the method has no table
}

// Profile is a buffer profile as a vendor's table states it: a row of SONiC's
// pg_profile_lookup.ini, an SAI buffer profile. The zero Profile states nothing.
type Profile struct {
	Stated bool       // false: there is no profile, and the other fields mean nothing
	Size   unit.Bytes // PG-min with a shared headroom pool; PG-min and headroom together without
	XON    unit.Bytes
	XOFF   unit.Bytes // the headroom, before it is rounded to cells
	Alpha  Alpha      // dynamic_th
	Line   int        // where the profile stands in its file; 0: the file is not known
}

// Sizer is one method of sizing a headroom. Implementations are values: the
// same link and memory give the same result.
type Sizer interface {
	// Method is the name under which the command line knows it.
	Method() string
	// Size returns the headroom of one lossless group at the end of the link.
	// It allocates nothing unless it refuses.
	Size(Link, Memory) (Headroom, error)
	// Explain returns the same and where it comes from.
	Explain(Link, Memory) (Explanation, error)
}

// Discrete is a Sizer that has a headroom for some cable lengths only, as a
// vendor's table has.
type Discrete interface {
	Sizer
	// Cables returns the lengths, of all speeds, shortest first, each once.
	Cables() []unit.Length
}

// Validate refuses a link that no cable or frame can be, with all complaints
// in one error.
func (l Link) Validate() error {
	if l.valid() {
		return nil
	}
	var bad complain.List
	if l.Rate < unit.Mbps || l.Rate > 100*unit.Tbps {
		bad.Addf("rate %v is not between 1M and 100T", l.Rate)
	}
	if l.Cable < 0 || l.Cable > MaxCable {
		bad.Addf("cable %v is not between 0m and %v", l.Cable, MaxCable)
	}
	if l.Medium < 0 || l.Medium >= media {
		bad.Addf("medium %d is not one of %s", int(l.Medium), strings.Join(mediumNames[:], ", "))
	}
	if l.Delay < 0 || l.Delay > MaxDelay {
		bad.Addf("measured delay %v is not between 0ps and %v", l.Delay, MaxDelay)
	}
	if l.Extra < 0 || l.Extra > MaxDelay {
		bad.Addf("extra delay %v is not between 0ps and %v", l.Extra, MaxDelay)
	}
	if l.MTU < MinFrame || l.MTU > MaxFrameSize {
		bad.Addf("MTU %v is not between %v and %v", l.MTU, MinFrame, MaxFrameSize)
	}
	if l.LosslessMTU < MinFrame || l.LosslessMTU > l.MTU {
		bad.Addf("lossless MTU %v is not between %v and the port's MTU %v", l.LosslessMTU, MinFrame, l.MTU)
	}
	return &LinkError{bad.Texts()}
}

// valid is Validate without words.
func (l Link) valid() bool {
	return l.Rate >= unit.Mbps && l.Rate <= 100*unit.Tbps && l.Cable >= 0 && l.Cable <= MaxCable &&
		l.Medium >= 0 && l.Medium < media && l.Delay >= 0 && l.Delay <= MaxDelay && l.Extra >= 0 &&
		l.Extra <= MaxDelay &&
		l.MTU >= MinFrame && l.MTU <= MaxFrameSize && l.LosslessMTU >= MinFrame && l.LosslessMTU <= l.MTU
}

// Validate refuses a memory without cells.
func (m Memory) Validate() error {
	if m.Cell < 1 || m.Cell > 1<<20 || m.Overhead < 0 || m.Overhead > 1<<16 {
		return fmt.Errorf(
			"cell of %d bytes with %d bytes of overhead (accepted: cells of 1 to %d bytes, 0 to %d of overhead)",
			m.Cell, m.Overhead, 1<<20, 1<<16)
	}
	return nil
}

// LinkError is everything that is wrong with a link.
type LinkError struct{ Complaints []string }

// Error lists the complaints.
func (e *LinkError) Error() string { return "link refused: " + strings.Join(e.Complaints, "; ") }
