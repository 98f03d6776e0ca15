package thresholds

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/named"
	"github.com/cellwarden/cellwarden/unit"
)

// Link is what a headroom depends on outside the switch: the port that pauses,
// the cable, and the sender at its other end.
type Link struct {
	Rate   unit.BitRate             // speed of the port
	Cable  unit.Length              // length, one way
	Medium Medium                   // of the cable; zero: fibre at 5 ns/m
	Delay  unit.Optional[unit.Time] // measured one-way delay, in place of Cable and Medium
	// Measured says how Delay was measured, which then is its OneWay; zero: it is not said.
	Measured Measurement
	// one-way delay in addition to cable and interfaces: FEC, gearbox, retimer, MACsec whose delay is known
	Extra unit.Time
	// MACsec adds MACsecDelay in each direction, for MACsec whose delay is not known.
	MACsec bool
	// Response is the response time of the sender at the other end, in place of the one that the method has for the speed:
	// a slow neighbour decides how much arrives. A method that cannot use it says so in a warning.
	Response    unit.Optional[unit.Time]
	MTU         unit.Bytes // longest frame of any class, for which the pause frame may have to wait
	LosslessMTU unit.Bytes // longest frame of the paused class, which the sender may have begun
	// Lanes is the width of the port; 0: not stated, and a method that counts with it has its own rule.
	Lanes int
}

// Medium is the material of a cable. It determines the signal's speed.
type Medium int

// The media, with the delay that is assumed.
const (
	Fibre       Medium = iota // 5 ns/m: 200,000 km/s
	Copper                    // 4.76 ns/m: 0.70 c (Cisco white paper c11-542809)
	SingleMode                // 5.13 ns/m: 0.65 c (the same paper)
	FibreNVIDIA               // 5.0505 ns/m: 198,000 km/s (SONiC's headroom plug-in for NVIDIA)
	media
)

// mediumNames are the names in files and flags.
var mediumNames = [media]string{"fibre", "copper", "single-mode", "fibre-nvidia"}

// mediumDelay is the delay of a medium, in picoseconds for so many millimetres, and its source.
type mediumDelay struct {
	ps, each int64
	source   string
}

var mediumDelays = [media]mediumDelay{
	Fibre:       {5, 1, "fibre at 5 ns/m (200,000 km/s)"},
	Copper:      {476, 100, "copper at 4.76 ns/m (0.70 c; Cisco white paper c11-542809)"},
	SingleMode:  {513, 100, "single-mode fibre at 5.13 ns/m (0.65 c; Cisco white paper c11-542809)"},
	FibreNVIDIA: {1000, 198, "fibre at 198,000 km/s (SONiC's headroom plug-in for NVIDIA)"},
}

// ParseMedium reads the name of a medium.
func ParseMedium(text string) (Medium, error) {
	return named.Parse[Medium](text, "not a medium", mediumNames[:]...)
}

// Valid tells whether there is such a medium.
func (m Medium) Valid() bool { return m >= 0 && m < media }

// MediumNames lists the names of all media, for messages.
func MediumNames() string { return strings.Join(mediumNames[:], ", ") }

// String returns the name of the medium.
func (m Medium) String() string { return named.Of(m, "medium", mediumNames[:]...) }

// delay returns the delay of a medium; of a number that is none, that of fibre.
func (m Medium) delay() *mediumDelay {
	if !m.Valid() {
		m = Fibre
	}
	return &mediumDelays[m]
}

// Pace returns how many picoseconds the signal takes for so many millimetres.
func (m Medium) Pace() (picoseconds, millimetres int64) { return m.delay().ps, m.delay().each }

// Delay returns the delay of a cable in picoseconds, exactly.
func (m Medium) Delay(l unit.Length) exact.Ratio {
	return exact.Whole(l).Times(m.delay().ps, m.delay().each)
}

// MACsecDelay is the delay that MACsec may add in one direction: the limit of SONiC's MACsec design
// (doc/macsec/MACsec_hld.md, 3.5.1), which has still to be confirmed with the vendors there. It is no measurement.
const MACsecDelay = unit.Microsecond

// Limits of the fields of a Link. A value beyond them is a typing error.
const (
	MaxRate                 = 100 * unit.Tbps
	MaxCable                = 1000 * unit.Kilometre
	MaxDelay                = 10 * unit.Millisecond // light through more than MaxCable of fibre
	MinFrame     unit.Bytes = 64                    // IEEE 802.3: minimum frame size
	MaxFrameSize unit.Bytes = 16384                 // above every jumbo frame in use
	MaxLanes                = 16                    // 8 is the most in SONiC and Linux today
)

// OneWay returns the delay of one direction, cable and what is added to it, exactly, in picoseconds.
func (l Link) OneWay() exact.Ratio {
	if measured, ok := l.Delay.Get(); ok {
		return exact.Whole(measured + l.Added())
	}
	return l.Medium.Delay(l.Cable).Plus(exact.Whole(l.Added()))
}

// Added returns the one-way delay in addition to cable and interfaces: the extra delay and MACsec's.
func (l Link) Added() unit.Time {
	if l.MACsec {
		return l.Extra + MACsecDelay
	}
	return l.Extra
}

// AddedText names what Added adds: "1.5us extra", "1us of MACsec (source)". It is empty for a link without.
func (l Link) AddedText() string {
	var out []string
	if l.Extra > 0 {
		out = append(out, fmt.Sprintf("%v extra", l.Extra))
	}
	if l.MACsec {
		out = append(out, fmt.Sprintf("%v of MACsec (the limit of SONiC's MACsec design, 3.5.1)", MACsecDelay))
	}
	return strings.Join(out, " + ")
}

// Path names the link's medium and what is known of its other end: "300m", "300m
// copper", "1.5us measured", "300m + 1us", "300m + MACsec, peer 3us".
func (l Link) Path() string {
	text := l.Cable.String()
	switch {
	case l.Delay.IsGiven():
		text = l.Delay.String() + " measured"
		if u := l.Measured.Uncertainty; u > 0 {
			text += fmt.Sprintf(" (%v of it uncertain)", (u+1)/2)
		}
	case l.Medium != Fibre:
		text += " " + l.Medium.String()
	}
	if l.Extra > 0 {
		text += " + " + l.Extra.String()
	}
	if l.MACsec {
		text += " + MACsec"
	}
	if t, given := l.Response.Get(); given {
		text += ", peer " + t.String()
	}
	return text
}

// Memory is what a headroom depends on inside the switch.
type Memory struct {
	Cell     cells.Size // bytes per cell
	Overhead unit.Bytes // bytes that the chip stores with each packet
	// SharedHeadroom says that the groups have their headroom from a pool that they share. SONiC's formula gives less
	// then.
	SharedHeadroom bool
}

// Headroom is the result of a sizing method. A value that the method does not compute is absent, or 0.
type Headroom struct {
	Method    string                    // name of the method
	BitTimes  int64                     // sum of the delays, for methods that use delays
	Wire      unit.Bytes                // the same in bytes: what arrives after the decision to pause
	Cells     cells.Count               // cells that the group needs
	XOFF      unit.Bytes                // SAI's XOFF_TH: Cells in bytes, unless the method computes bytes itself
	XON       unit.Bytes                // bytes that the method asks for below XOFF: pipeline latency, pause threshold
	XONOffset unit.Optional[unit.Bytes] // the group resumes this far below its limit
	Size      unit.Bytes                // XON and XOFF together, as the method counts them
	Mix       Mix                       // frames that are assumed to fill the headroom; zero: not stated
	Profile   Profile                   // row of a vendor's table; zero: the method has no table
}

// Profile is a buffer profile in a vendor's table: a row of SONiC's pg_profile_lookup.ini, which is an SAI buffer
// profile. The zero Profile states nothing.
type Profile struct {
	Stated bool       // false: there is no profile, and the other fields mean nothing
	Size   unit.Bytes // PG-min with a shared headroom pool; without one PG-min and headroom together
	XON    unit.Bytes
	XOFF   unit.Bytes // headroom, before it is rounded to cells
	Alpha  Alpha      // dynamic_th
	Line   int        // line in the file; 0: unknown
}

// Sizer is a method of sizing a headroom. The same link and memory always give the same result.
type Sizer interface {
	// Method returns the name of the method in flags and files.
	Method() string
	// Size returns the headroom of one lossless group at the end of the link. It allocates only if it returns an error.
	Size(Link, Memory) (Headroom, error)
	// Explain returns the same result with its terms and their sources.
	Explain(Link, Memory) (Explanation, error)
}

// Framed is a Sizer that assumes which frames fill the headroom. It refuses links whose
// lossless class has only shorter ones.
type Framed interface {
	Sizer
	// LongestFrame returns the longest of these frames; 0 if the link decides which they are.
	LongestFrame() unit.Bytes
}

// Discrete is a Sizer that knows some cable lengths only, as a vendor's table does.
type Discrete interface {
	Sizer
	// Cables returns these lengths for all speeds together, in ascending order.
	Cables() []unit.Length
}

// Validate refuses values that no link has, with all complaints in one error. It allocates only if it returns an error.
func (l Link) Validate() error {
	var bad fielderr.List
	fielderr.Between(&bad, "rate", l.Rate, unit.Mbps, MaxRate)
	fielderr.Between(&bad, "cable", l.Cable, 0, MaxCable)
	if !l.Medium.Valid() {
		bad.Addf("medium %d is not one of %s", int(l.Medium), MediumNames())
	}
	fielderr.Between(&bad, "measured delay", l.Delay.Or(0), 0, MaxDelay)
	if l.Measured.IsGiven() {
		bad.Under("measured delay", l.Measured.Validate())
		if one := l.Measured.OneWay(); l.Delay != unit.Given(one) {
			bad.Addf("measured delay %v is not %v, half of the longest round trip", l.Delay.Or(0), one)
		}
	}
	fielderr.Between(&bad, "extra delay", l.Extra, 0, MaxDelay)
	fielderr.Between(&bad, "response time", l.Response.Or(0), 0, MaxDelay)
	fielderr.Between(&bad, "MTU", l.MTU, MinFrame, MaxFrameSize)
	if l.LosslessMTU < MinFrame || l.LosslessMTU > l.MTU {
		bad.Addf("lossless MTU %v is not between %v and the port's MTU %v", l.LosslessMTU, MinFrame, l.MTU)
	}
	if l.Lanes < 0 || l.Lanes > MaxLanes {
		bad.Addf("%d lanes are not between 0 (not stated) and %d", l.Lanes, MaxLanes)
	}
	if len(bad) == 0 {
		return nil
	}
	return &LinkError{bad.Texts()}
}

// Validate refuses sizes that no memory has.
func (m Memory) Validate() error {
	if m.Cell < 1 || m.Cell > 1<<20 || m.Overhead < 0 || m.Overhead > 1<<16 {
		return fmt.Errorf(
			"cell of %d bytes with %d bytes of overhead (want cells of 1 to %d bytes, 0 to %d of overhead)",
			m.Cell, m.Overhead, 1<<20, 1<<16)
	}
	return nil
}

// LinkError is the error of a link that is not valid.
type LinkError struct{ Complaints []string }

// Error returns all complaints.
func (e *LinkError) Error() string { return "link refused: " + strings.Join(e.Complaints, "; ") }
