package sim

import (
	"context"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// VerifySchema names the form in which a Verification is written as JSON.
const VerifySchema = "cellwarden.verify/v1"

// VerifyOptions says how the worst case is built. The zero options are the
// worst that is known.
type VerifyOptions struct {
	// Frame is the size of the frames that fill the headroom; 0: the size that
	// wastes most cells, found for each chip and class. A shorter one is refused,
	// one above a class's longest is cut to it.
	Frame unit.Bytes
	// Together lets all groups of a shared headroom pool fill at once. Without it
	// each group is alone, as with dedicated headroom.
	Together bool
	// Behaviour is how the chip compares; zero: the reference, which needs one
	// frame more than a chip that pauses at the limit, because the frame that
	// causes the pause stands in the headroom.
	Behaviour behaviour.Family
}

// Verification is what came of the worst case of every lossless group.
//
// The worst case of a group is this. The shared pool is all but full. A sender
// at line rate at the end of the port's cable sends frames that waste most cells
// without a pause, and nothing leaves. The frame that the shared part refuses
// causes the pause frame, which waits for a frame of the port's MTU. Interface
// delays and response time are the standard's maxima, as [thresholds.IEEE] has
// them, or those of the plan's own IEEE method. After its response time the
// sender goes on for as long as its longest lossless frame takes.
//
// Each delay is a bound that is not reached, but approached: the response ends
// 4 ps before its bound, less than a byte of any link. So a frame that would end
// exactly at the last moment is not counted, and together with the frame that
// caused the pause as many arrive as the standard's sum holds, rounded up. With
// a chip that pauses at its limit that frame is in the shared part, and one
// fewer.
//
// First, preamble and gap are taken for data too, because the sizing methods
// give no credit for them; this decides. Then the run is made with Ethernet's
// gaps and the frames that are worst with them, and reported beside: a margin
// that exists on real links.
type Verification struct {
	Schema    string          `json:"schema"`
	Lossless  bool            `json:"lossless"`
	Chip      string          `json:"chip"`
	Method    string          `json:"headroom_method"` // that the plan was sized with
	Delays    string          `json:"delays"`          // whose maxima were let happen
	Behaviour string          `json:"behaviour"`
	Groups    []VerifiedGroup `json:"groups"`                   // by port and group
	Pools     []VerifiedPool  `json:"headroom_pools,omitempty"` // of each slice, if asked for
	// that are up, and lossless in the intent but not in the layout
	NotVerified []string `json:"ports_not_verified"`
	Drops       int64    `json:"drops"` // frames, of all groups and pools
}

// VerifiedGroup is what came of one group's worst case.
type VerifiedGroup struct {
	Port    string       `json:"port"`
	Group   int          `json:"group"`
	Class   string       `json:"class"`
	Speed   unit.BitRate `json:"speed"`
	Cable   unit.Length  `json:"cable"`
	Granted cells.Count  `json:"granted_cells"`
	Peak    cells.Count  `json:"peak_cells"` // most headroom that was ever in use
	Frame   unit.Bytes   `json:"frame_bytes"`
	// FirstDropBelow is the headroom that the worst case needs: with one cell
	// fewer the first frame is lost. It is exact, the peak of a run without a
	// limit: what a sender sends does not depend on what is lost.
	FirstDropBelow cells.Count `json:"first_drop_below_cells"`
	Margin         cells.Count `json:"margin_cells"` // Granted less that; below 0: missing
	// MarginMetres is by how much the cable may be longer, in whole metres, or
	// must be shorter if it is below 0, rounded to the safe side.
	MarginMetres int64    `json:"margin_m"`
	Drops        int64    `json:"drops"` // frames
	WithGaps     WithGaps `json:"with_gaps"`
}

// WithGaps is the same with preamble and gap between the frames.
type WithGaps struct {
	Frame          unit.Bytes  `json:"frame_bytes"`
	FirstDropBelow cells.Count `json:"first_drop_below_cells"`
	Margin         cells.Count `json:"margin_cells"`
}

// Verify lets the worst case happen to every lossless group of a layout, which
// a plan of the intent has made, or a device holds. The links are the intent's:
// with other cables than the layout was planned for it says what becomes of
// them. Groups that are alike are run once.
//
// An intent that is not valid, a layout that the chip cannot hold, and a speed
// for which no maximum delay is known are errors. Frames that are lost are not:
// they are the result. A context that ends stops it between two runs, with the
// context's error.
func Verify(ctx context.Context, in buffer.Intent, layout buffer.Layout, o VerifyOptions) (*Verification, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if o.Frame != 0 && (o.Frame < thresholds.MinFrame || o.Frame > thresholds.MaxFrameSize) {
		return nil, fmt.Errorf("%w: frame: %v: accepted: %v to %v", buffer.ErrInvalid, o.Frame, thresholds.MinFrame,
			thresholds.MaxFrameSize)
	}
	v, err := newVerifier(ctx, in, layout, o)
	if err != nil {
		return nil, err
	}
	for i := range in.Ports {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := v.port(&in.Ports[i]); err != nil {
			return nil, fmt.Errorf("port %s: %w", in.Ports[i].Name, err)
		}
	}
	slices.SortFunc(v.out.Groups, func(a, b VerifiedGroup) int {
		if c := buffer.ComparePorts(a.Port, b.Port); c != 0 {
			return c
		}
		return a.Group - b.Group
	})
	for s := 0; s < len(in.Chip.Slices) && o.Together; s++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := v.pool(s); err != nil {
			return nil, fmt.Errorf("headroom pool of slice %d: %w", s, err)
		}
	}
	v.conclude()
	return v.out, nil
}

// verifier is a verification under way.
type verifier struct {
	in     *buffer.Intent
	o      VerifyOptions
	asic   *ASIC
	values registers
	delays thresholds.IEEE // of which only the delays are used
	known  map[groupKey]VerifiedGroup
	out    *Verification
}

// groupKey is all that the worst case of a group depends on.
type groupKey struct {
	link                thresholds.Link
	group               mmu.Group
	minimum             cells.Count // of the port
	shared, pool, slice cells.Count
}

func newVerifier(ctx context.Context, in buffer.Intent, layout buffer.Layout, o VerifyOptions) (*verifier, error) {
	a, err := New(in.Chip, Ports(in)...)
	if err != nil {
		return nil, err
	}
	if err := a.Apply(ctx, buffer.Diff(nil, layout)); err != nil {
		return nil, err
	}
	v := &verifier{in: &in, o: o, asic: a, values: a.values(), known: map[groupKey]VerifiedGroup{}}
	v.out = &Verification{Schema: VerifySchema, Chip: in.Chip.Name, Method: in.Sizing.Method(), Delays: "maxima of " +
		v.delays.Method(),
		Behaviour: o.Behaviour.Name, Groups: []VerifiedGroup{}, NotVerified: []string{}}
	if o.Behaviour.Name == "" {
		v.out.Behaviour = "reference"
	}
	if own, ok := in.Sizing.(thresholds.IEEE); ok {
		v.delays.Delays = own.Delays
		v.out.Delays = "maxima of the plan's method"
	}
	return v, nil
}

// port verifies the lossless groups of a port.
func (v *verifier) port(p *buffer.Port) error {
	missing := false
	for i := range v.in.Classes {
		c := &v.in.Classes[i]
		if !p.Classes.Has(i) || !c.Lossless {
			continue
		}
		for _, g := range c.Groups() {
			if v.values.of(buffer.GroupLossless, p.Name, g) == 0 {
				missing = true
			} else if err := v.group(p, c, g); err != nil {
				return err
			}
		}
	}
	if missing && p.State == buffer.PortUp {
		v.out.NotVerified = append(v.out.NotVerified, p.Name)
	}
	return nil
}

// linkOf is the link of a port for a class.
func linkOf(p *buffer.Port, c *buffer.Class) thresholds.Link {
	l := thresholds.Link{Rate: p.Rate, Cable: p.Cable, Medium: p.Medium, Delay: p.Delay, Extra: p.Extra, MTU: p.MTU,
		LosslessMTU: c.MTU}
	if l.LosslessMTU == 0 {
		l.LosslessMTU = p.MTU
	}
	return l
}

// group verifies one group, or finds that one like it has been.
func (v *verifier) group(p *buffer.Port, c *buffer.Class, g int) error {
	slice := v.asic.chip.SlicesOf(v.asic.pipes[p.Name])[0]
	t := groupRun{v: v, port: p, link: linkOf(p, c), group: g, slice: slice,
		headroom: cells.Count(v.values.of(buffer.GroupHeadroom, p.Name, g))}
	like := groupKey{t.link, v.values.group(p.Name, 0, g, v.o.Behaviour),
		cells.Count(v.values.of(buffer.PortMinimum, p.Name, 0)),
		v.asic.shared(v.values, slice), headroomPool(v.values, slice), cells.Count(slice)}
	like.group.Priority = 0
	if v.asic.sameSlices() {
		like.slice = 0
	}
	found, ok := v.known[like]
	if !ok {
		var err error
		if found, err = t.verify(); err != nil {
			return err
		}
		v.known[like] = found
	}
	found.Port, found.Group, found.Class, found.Speed, found.Cable = p.Name, g, c.Name, p.Rate, p.Cable
	v.out.Groups = append(v.out.Groups, found)
	return nil
}

// sameSlices tells whether all slices are of one size, so that it does not
// matter in which a group is.
func (a *ASIC) sameSlices() bool {
	for i := range a.chip.Slices {
		if a.chip.Slices[i].Cells != a.chip.Slices[0].Cells || a.chip.Slices[i].Taken() != a.chip.Slices[0].Taken() {
			return false
		}
	}
	return true
}

// conclude draws the conclusion.
func (v *verifier) conclude() {
	for i := range v.out.Groups {
		v.out.Drops += v.out.Groups[i].Drops
	}
	for i := range v.out.Pools {
		v.out.Drops += v.out.Pools[i].Drops
	}
	v.out.Lossless = v.out.Drops == 0 && len(v.out.NotVerified) == 0
}
