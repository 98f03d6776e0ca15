package buffer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// MaxPorts is more than any switch has; an intent with more is a mistake.
const MaxPorts = 4096

// Validate returns nil, or a *InvalidError with all that is wrong. It checks
// what can be checked without sizing anything.
func (in *Intent) Validate() error { return in.validate(1) }

// validate wants at least this number of ports.
func (in *Intent) validate(fewest int) error {
	var bad fielderr.List
	in.validateLimits(&bad)
	in.validatePorts(fewest, &bad)
	in.validateCarried(&bad)
	return Invalid(bad)
}

// validateLimits checks all but the ports.
func (in *Intent) validateLimits(bad *fielderr.List) {
	in.Chip.validate(bad)
	if in.Sizing == nil {
		bad.Add("headroom", "none", "a method")
	}
	in.Pool.validate(bad)
	if in.SharedFloor < 0 || in.SharedFloor >= unit.Whole {
		bad.Add("shared_floor", in.SharedFloor.String(), "0% or more and below 100%")
	}
	in.validateEgressPools(bad)
	in.validateClasses(bad)
	in.validateTrimming(bad)
}

// MaxRatio is more than any headroom pool in use is oversubscribed.
const MaxRatio = 1000

func (in *Intent) validateClasses(bad *fielderr.List) {
	if len(in.Classes) == 0 {
		bad.Add("classes", "none", "at least one class")
	}
	names := make(map[string]bool, len(in.Classes))
	var owner [pg.PerPort]*Class // of each priority
	for i := range in.Classes {
		c, path := &in.Classes[i], classPath(i)
		if c.Name == "" || names[c.Name] {
			bad.Add(path+".name", fmt.Sprintf("%q", c.Name), "a name that no other class has")
		}
		names[c.Name] = true
		if len(c.Priorities) == 0 {
			bad.Add(path+".priorities", "none", "at least one of 0 to 7")
		}
		for _, p := range c.Priorities {
			if p < 0 || p >= pg.PerPort {
				bad.Add(path+".priorities", fmt.Sprint(p), "0 to 7")
				continue
			}
			if o := owner[p]; o != nil {
				bad.Add(path+".priorities", fmt.Sprint(p),
					fmt.Sprintf("a priority that no class has; class %q has this one", o.Name))
			}
			owner[p] = c
		}
		in.validateClass(c, path, bad)
		in.validateWeight(c, path, bad)
		in.validateEgress(c, path, bad)
	}
	in.validateGroups(bad)
	in.validateChannelOwners(bad)
	in.validateDSCP(&owner, bad)
	in.validateETS(bad)
}

// classPaths are the paths of as many classes as there are priorities, so that a plan does not make them.
var classPaths = [pg.PerPort]string{"classes[0]", "classes[1]", "classes[2]", "classes[3]", "classes[4]", "classes[5]",
	"classes[6]", "classes[7]"}

// classPath is the path of a class in complaints.
func classPath(i int) string {
	if i < len(classPaths) {
		return classPaths[i]
	}
	return fmt.Sprintf("classes[%d]", i)
}

// validateGroups refuses a group of a lossless class, which has those of its priorities, and classes that say different
// things of one group.
func (in *Intent) validateGroups(bad *fielderr.List) {
	var owner [pg.PerPort]*Class
	for i := range in.Classes {
		c := &in.Classes[i]
		add := func(group int, accepted string) { bad.Add(classPath(i)+".group", fmt.Sprint(group), accepted) }
		group, given := c.Group.Get()
		switch {
		case given && c.ownGroups():
			add(group, "none: each priority of a lossless class, or of one with credits, has the group of its number")
			continue
		case given && (group < 0 || group >= pg.PerPort):
			add(group, fmt.Sprintf("0 to %d", pg.PerPort-1))
			continue
		}
		var room [pg.PerPort]int
		for _, n := range c.appendGroups(room[:0]) {
			if n < 0 || n >= pg.PerPort {
				continue // of a priority that was refused
			}
			if o := owner[n]; o != nil && (given || o.Group.IsGiven()) && !o.sameGroup(c) {
				add(n, fmt.Sprintf("a group of no other class, or of lossy classes with the same reserved, "+
					"alpha and static_limit; class %q has this one", o.Name))
			}
			owner[n] = c
		}
	}
}

// sameGroup tells whether two classes may share a group.
func (c *Class) sameGroup(o *Class) bool {
	alpha := func(c *Class) thresholds.Alpha {
		if c.Alpha == nil {
			return 0
		}
		return *c.Alpha
	}
	return !c.ownGroups() && !o.ownGroups() && c.Reserved.Or(0) == o.Reserved.Or(0) && alpha(c) == alpha(o) &&
		c.StaticLimit == o.StaticLimit
}

// validateDSCP refuses a DSCP that is of two priorities, and one of a priority that no class has.
func (in *Intent) validateDSCP(owner *[pg.PerPort]*Class, bad *fielderr.List) {
	if in.DSCP != (pg.DSCPMap{}) && in.Trust == pg.TrustPCP {
		bad.Add("trust", in.Trust.String(), "dscp, because dscp maps DSCPs to priorities")
	}
	if in.Trust > pg.TrustDSCP {
		bad.Add("trust", fmt.Sprint(uint8(in.Trust)), "pcp, dscp, or none")
	}
	var seen pg.CodePoints
	for p, points := range in.DSCP {
		add := func(points pg.CodePoints, accepted string) {
			bad.Add(fmt.Sprintf("dscp.%d", p), points.String(), accepted)
		}
		if both := points & seen; both != 0 {
			add(both, "DSCPs of no other priority")
		}
		if points != 0 && owner[p] == nil {
			add(points, "a priority of a class")
		}
		seen |= points
	}
}

func (in *Intent) validateClass(c *Class, path string, bad *fielderr.List) {
	var room [pg.PerPort]int
	for _, g := range c.appendGroups(room[:0]) {
		if g >= in.Chip.Groups && g < pg.PerPort && in.Chip.Groups > 0 {
			bad.Add(path+".priorities", fmt.Sprintf("group %d", g),
				fmt.Sprintf("groups 0 to %d: %s has %d a port", in.Chip.Groups-1, in.Chip.Name, in.Chip.Groups))
		}
	}
	c.validateCredits(in, path, bad)
	fielderr.Bounds(bad, path, ".reserved", c.Reserved.Or(0), 0, mostMinimum)
	fielderr.Bounds(bad, path, ".queue_reserved", c.QueueReserved, 0, mostMinimum)
	fielderr.Bounds(bad, path, ".xon_offset", c.XONOffset.Or(0), 0, mostMinimum)
	if c.MTU != 0 {
		fielderr.Bounds(bad, path, ".mtu", c.MTU, thresholds.MinFrame, thresholds.MaxFrameSize)
	}
	if c.Alpha != nil && !c.Credits && !in.Chip.AllowsAlpha(*c.Alpha) {
		bad.Add(path+".alpha", fmt.Sprintf("%v (dynamic_th %d)", *c.Alpha, c.Alpha.DynamicTh()), in.Chip.alphaRange())
	}
	if c.StaticLimit != 0 && !c.Credits {
		in.validateStatic(c, path+".static_limit", bad)
	}
	if err := c.ECN.Validate(); err != nil {
		bad.Add(path+".ecn", err.Error(), "0B <= kmin <= kmax, 0% < pmax <= 100%")
	} else {
		in.validateMarking(c, path, bad)
	}
}

// validateMarking refuses thresholds above the pool: the queue is never so deep.
func (in *Intent) validateMarking(c *Class, path string, bad *fielderr.List) {
	pool, name := in.poolBytes()
	if pool <= 0 {
		return // refused already
	}
	for _, t := range []struct {
		key string
		at  unit.Bytes
	}{{"kmin", c.ECN.KMin}, {"kmax", c.ECN.KMax}} {
		if t.at > pool {
			bad.Add(path+".ecn."+t.key, t.at.String(), fmt.Sprintf("at most %v (%s): a queue is never deeper", pool, name))
		}
	}
}

// validateStatic refuses an invalid limit: beside an alpha, under one cell,
// or above the pool. (SAI, saibuffer.h: SHARED_STATIC_TH is a part of the pool.)
func (in *Intent) validateStatic(c *Class, path string, bad *fielderr.List) {
	if in.Chip.Cell <= 0 || len(in.Chip.Slices) == 0 {
		return // refused already
	}
	pool, name := in.Pool.Size, "the pool's size"
	if pool == 0 {
		pool, name = in.Chip.Cell.Bytes(in.Chip.TotalCells()), "the chip's memory"
	}
	least := in.Chip.Cell.Bytes(cells.Count(len(in.Chip.Slices)))
	if c.StaticLimit < least || c.StaticLimit > pool || c.Alpha != nil {
		bad.Add(path, c.StaticLimit.String(),
			fmt.Sprintf("%v (a cell in each slice) to %v (%s), and no alpha beside it", least, pool, name))
	}
}

// alphaRange says which alphas the chip's table has.
func (c *Chip) alphaRange() string {
	return fmt.Sprintf("%v to %v in powers of two (dynamic_th %[1]d to %[2]d), %[3]s's table", c.MinAlpha, c.MaxAlpha,
		c.Name)
}

func (in *Intent) validatePorts(fewest int, bad *fielderr.List) {
	if len(in.Ports) < fewest || len(in.Ports) > MaxPorts {
		bad.Add("ports", fmt.Sprint(len(in.Ports)), fmt.Sprintf("%d to %d ports", fewest, MaxPorts))
	}
	var first map[string]int // the port of a name; nil: the names ascend, as they mostly do, so that none is there twice
	if !ascend(in.Ports) {
		first = make(map[string]int, len(in.Ports))
	}
	var found fielderr.List // of one port; the path of a port without complaints is not written down
	var valid *Port         // the last port without complaints: those beside it are mostly like it
	for i := range in.Ports {
		p := &in.Ports[i]
		if j, twice := first[p.Name]; twice {
			bad.Add(fmt.Sprintf("ports[%d].name", i), fmt.Sprintf("%q", p.Name),
				fmt.Sprintf("a name that no other port has; ports[%d] has this one", j))
		} else {
			if first != nil {
				first[p.Name] = i
			}
			if !ValidPortName(p.Name) {
				bad.Add(fmt.Sprintf("ports[%d].name", i), strconv.Quote(p.Name), portNameForm)
			}
		}
		if valid != nil && alikeBesidesName(p, valid) {
			continue
		}
		if in.validatePort(p, "", &found); len(found) == 0 {
			valid = p
		} else {
			found = nil
			in.validatePort(p, fmt.Sprintf("ports[%d]", i), bad)
		}
	}
}

// ascend tells whether each name is longer than the one before, or as long and behind it in the order of bytes.
func ascend(ports []Port) bool {
	for i := 1; i < len(ports); i++ {
		if a, b := ports[i-1].Name, ports[i].Name; len(a) > len(b) || len(a) == len(b) && a >= b {
			return false
		}
	}
	return true
}

// alikeBesidesName tells whether two ports differ in nothing that validatePort looks at.
func alikeBesidesName(a, b *Port) bool {
	return a.sameKind(b) && a.PFCWithoutHeadroom == b.PFCWithoutHeadroom &&
		(a.Pipe == nil && b.Pipe == nil || a.Pipe != nil && b.Pipe != nil && *a.Pipe == *b.Pipe)
}

// ValidPortName tells whether a text can be the name of an interface: letters, digits and / _ . : -, with a letter or a
// digit at both ends; at most 64 characters.
func ValidPortName(name string) bool {
	alphanumeric := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }
	for i := range len(name) {
		if !alphanumeric(name[i]) && strings.IndexByte("/_.:-", name[i]) < 0 {
			return false
		}
	}
	return name != "" && len(name) <= maxPortName && alphanumeric(name[0]) && alphanumeric(name[len(name)-1])
}

// validateMeasured refuses a measurement that cannot be, and one that is not what the port's delay is.
func (p *Port) validateMeasured(path string, bad *fielderr.List) {
	if err := p.Measured.Validate(); err != nil {
		bad.Under(path, err)
		return
	}
	if one := p.Measured.OneWay(); p.Delay != unit.Given(one) {
		bad.Add(path, fmt.Sprintf("a delay of %v", p.Delay), one.String()+", half of the longest round trip")
	}
	if p.Cable < 0 || p.Cable > thresholds.MaxCable || !p.Medium.Valid() {
		return // these are refused by themselves
	}
	if impossible, _ := p.Measured.Against(p.Cable, p.Medium); impossible != "" {
		bad.Add(path, impossible, "a measurement of the cable, and the length of the cable that was measured")
	}
}

func (in *Intent) validatePort(p *Port, path string, bad *fielderr.List) {
	if p.Rate < unit.Mbps || p.Rate > thresholds.MaxRate {
		bad.Add(path+".speed", p.Rate.String(), fmt.Sprintf("1M to %v, with a unit", thresholds.MaxRate))
	}
	in.Chip.validateSpeed(p, path, bad)
	in.validateSlopes(p, path, bad)
	if !p.Medium.Valid() {
		bad.Add(path+".medium", p.Medium.String(), thresholds.MediumNames())
	}
	fielderr.Bounds(bad, path, ".cable", p.Cable, 0, thresholds.MaxCable)
	fielderr.Bounds(bad, path, ".delay", p.Delay.Or(0), 0, thresholds.MaxDelay)
	if p.Measured.IsGiven() {
		p.validateMeasured(path+".measured_delay", bad)
	}
	fielderr.Bounds(bad, path, ".extra_delay", p.Extra, 0, thresholds.MaxDelay)
	fielderr.Bounds(bad, path, ".response_delay", p.Response.Or(0), 0, thresholds.MaxDelay)
	fielderr.Bounds(bad, path, ".mtu", p.MTU, thresholds.MinFrame, thresholds.MaxFrameSize)
	fielderr.Bounds(bad, path, ".reserved", p.Reserved, 0, mostMinimum)
	in.validateShared(p, path, bad)
	if pipes := in.Chip.PipeCount(); p.Pipe != nil && (*p.Pipe < 0 || *p.Pipe >= pipes) {
		bad.Add(path+".pipe", fmt.Sprint(*p.Pipe), fmt.Sprintf("0 to %d: %s has %d pipes", pipes-1, in.Chip.Name, pipes))
	}
	if p.Classes>>len(in.Classes) != 0 {
		bad.Add(path+".classes", fmt.Sprintf("%08b", p.Classes), fmt.Sprintf("a set of the %d classes", len(in.Classes)))
	}
	if p.State < PortUp || p.State > PortAdminDown {
		bad.Add(path+".state", p.State.String(), "up, link-down or admin-down")
	}
	if both := p.PFCWithoutHeadroom & in.lossless(p); both != 0 {
		bad.Add(path+".pfc_without_headroom", priorityText(both),
			"priorities of no lossless class of the port, whose PFC is on by itself")
	}
	if p.Lanes < 0 || p.Lanes > thresholds.MaxLanes {
		bad.Add(path+".lanes", fmt.Sprint(p.Lanes), fmt.Sprintf("1 to %d", thresholds.MaxLanes))
	}
}

// ErrInvalid is the kind of error that says the input is malformed, as opposed to a plan that does not fit.
var ErrInvalid = errors.New("invalid input")

// Complaint is one thing wrong with an intent or a chip.
type Complaint struct {
	Path     string // where: "classes[0].alpha"
	Value    string // the value that was found
	Accepted string // what would do
}

// InvalidError is everything that is wrong with an input, at once.
type InvalidError struct{ Complaints []Complaint }

// Error lists the complaints, one a line. Of many it lists the first, and says how many the others are.
func (e *InvalidError) Error() string {
	var bad fielderr.List
	for _, c := range e.Complaints {
		bad = append(bad, errors.New(c.String()))
	}
	if len(bad) == 0 {
		return ""
	}
	return bad.Err().Error()
}

// Is makes every InvalidError an ErrInvalid.
func (e *InvalidError) Is(target error) bool { return target == ErrInvalid }

// String prints path, value and what is accepted.
func (c Complaint) String() string { return fielderr.Complaint(c).Listed() }

// Invalid returns the complaints as an *InvalidError, or nil.
func Invalid(bad fielderr.List) error {
	if len(bad) == 0 {
		return nil
	}
	err := &InvalidError{}
	for _, c := range bad.Complaints() {
		err.Complaints = append(err.Complaints, Complaint(c))
	}
	return err
}
