package buffer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// portKind is what decides a port's demand. Ports of one kind ask for the same, so
// each kind is sized once: a switch has hundreds of ports and few kinds.
type portKind struct {
	thresholds.Link // of the longest lossless frames that a port can have
	reserved        unit.Bytes
	credits         bool
	shared          unit.Bytes // credits
	classes         ClassSet
	state           PortState
}

// kind returns the kind of a port. It has every field of Port that demandOf reads.
func (p *Port) kind() portKind {
	return portKind{p.Link(p.MTU), p.Reserved, p.Credits, p.SharedCredits, p.Classes, p.State}
}

// sameKind tells whether two ports have the same kind, without making it of both: neighbours mostly have.
func (p *Port) sameKind(o *Port) bool {
	return p.Rate == o.Rate && p.Cable == o.Cable && p.Medium == o.Medium && p.Delay == o.Delay &&
		p.Measured == o.Measured && p.Extra == o.Extra && p.MACsec == o.MACsec && p.Response == o.Response &&
		p.MTU == o.MTU && p.Lanes == o.Lanes && p.Reserved == o.Reserved && p.Credits == o.Credits &&
		p.SharedCredits == o.SharedCredits && p.Classes == o.Classes && p.State == o.State
}

// link returns the kind's link for a class whose longest frame is given.
func (k portKind) link(lossless unit.Bytes) thresholds.Link {
	k.LosslessMTU = min(lossless, k.MTU)
	return k.Link
}

// demand is what every port of a kind asks for.
type demand struct {
	kind     portKind
	groups   []groupDemand   // ascending
	channels []channelDemand // virtual channels, ascending
	shared   cells.Count     // credits that these share
	port     cells.Count     // the port's own minimum
	reserved cells.Count     // of all groups, channels and the port together
	headroom cells.Count     // of all groups together
	largest  cells.Count     // of a group's headroom
	queues   []queueDemand   // ascending; those that reserve nothing are left out
	minima   cells.Count     // of all queues together, in every slice of the chip
}

// queueDemand is what one egress queue of such a port asks for in every slice.
type queueDemand struct {
	queue    int
	reserved cells.Count
	item     string // its name on the bill
}

// groupDemand is what one group of such a port asks for.
type groupDemand struct {
	group int
	class *Class
	pg.Config
	sized *thresholds.Headroom // of the link: groups with the same frames share it; of a lossy group noHeadroom
	xoff  unit.Bytes

	reservedBytes, xonOffset unit.Bytes // as asked for
}

// noHeadroom is what sizes a lossy group.
var noHeadroom = &thresholds.Headroom{}

// CheckPort tells why the i-th port cannot be sized: a speed for which the method has no number, a length without a row
// in a table. nil: it can. The intent is one that Validate accepts.
func (in *Intent) CheckPort(i int) error {
	p := &in.Ports[i]
	if in.Chip.Reclaims.idle(p.State) {
		return nil
	}
	for k := range in.Classes {
		if !in.carries(p, k) {
			continue
		}
		if in.Classes[k].CreditsOn(p) {
			if _, err := in.channelsOf(&in.Classes[k], p); err != nil {
				return err
			}
		} else if _, err := in.groupOf(&in.Classes[k], p, nil); err != nil {
			return err
		}
	}
	return nil
}

// demandOf sizes what a port asks for.
func (in *Intent) demandOf(p *Port) (*demand, error) {
	d := &demand{kind: p.kind()}
	if in.Chip.Reclaims.idle(p.State) {
		return d, nil
	}
	most := 0
	for i := range in.Classes {
		most += len(in.Classes[i].Priorities)
	}
	d.groups = make([]groupDemand, 0, most)
	d.port = in.Chip.Cell.Holding(p.Reserved)
	d.reserved = d.port
	var last groupDemand // of a lossless class
	var room [pg.PerPort]int
	for i := range in.Classes {
		c := &in.Classes[i]
		if !in.carries(p, i) {
			continue
		}
		if c.CreditsOn(p) {
			if err := d.addChannels(in, c, p); err != nil {
				return nil, err
			}
			continue
		}
		g, err := in.groupOf(c, p, &last)
		if err != nil {
			return nil, err
		}
		if c.Lossless {
			last = g
		}
		for _, n := range c.appendGroups(room[:0]) {
			if !c.Lossless && slices.ContainsFunc(d.groups, func(o groupDemand) bool { return o.group == n }) {
				continue // a class before it has the group too, and says the same of it
			}
			g.group = n
			d.groups = append(d.groups, g)
			d.reserved += g.Reserved
			d.headroom += g.Headroom
			d.largest = max(d.largest, g.Headroom)
		}
	}
	if err := d.shareCredits(in, p); err != nil {
		return nil, err
	}
	d.queues = in.queueDemands(p)
	for _, q := range d.queues {
		d.minima += q.reserved
	}
	slices.SortFunc(d.groups, func(a, b groupDemand) int { return a.group - b.group })
	return d, nil
}

// queueDemands lists what the egress queues of a port ask for.
func (in *Intent) queueDemands(p *Port) []queueDemand {
	var out []queueDemand
	for i := range in.Classes {
		c := &in.Classes[i]
		for _, queue := range c.Priorities {
			if c.QueueReserved > 0 && in.carries(p, i) {
				out = append(out, queueDemand{queue, in.Chip.Cell.Holding(c.QueueReserved), "queue reserved " + c.Name})
			}
		}
	}
	slices.SortFunc(out, func(a, b queueDemand) int { return a.queue - b.queue })
	return out
}

// groupOf returns what a group of class c asks for on port p. last is a lossless group of the same port, or zero: most
// classes have the frames of the one before, and a link is sized once.
func (in *Intent) groupOf(c *Class, p *Port, last *groupDemand) (groupDemand, error) {
	g := groupDemand{class: c, Config: pg.Config{Lossless: c.Lossless}, reservedBytes: c.Reserved.Or(0),
		sized: noHeadroom}
	if c.Lossless {
		if err := g.size(in, p, last); err != nil {
			return g, err
		}
	}
	g.Limit = in.limit(c, g.sized.Profile)
	if alpha := g.Limit.Alpha(); g.Limit.Mode() == thresholds.DynamicLimit && !in.Chip.AllowsAlpha(alpha) {
		return g, fmt.Errorf("port %s, class %s: alpha %v (dynamic_th %d): want %s",
			p.Name, c.Name, alpha, alpha.DynamicTh(), in.Chip.alphaRange())
	}
	g.Reserved = in.Chip.Cell.Holding(g.reservedBytes)
	return g, g.ordered(p)
}

// size gives a lossless group its headroom, and what its class leaves to the
// method: the reserved cells and the XON offset.
func (g *groupDemand) size(in *Intent, p *Port, last *groupDemand) error {
	mtu := g.class.Frame(p)
	if last != nil && last.class != nil && last.class.Frame(p) == mtu {
		g.sized = last.sized
	} else if sized, err := in.Sizing.Size(p.Link(mtu), in.Memory()); err == nil {
		g.sized = &sized
	} else {
		return fmt.Errorf("port %s, class %s: %w", p.Name, g.class.Name, err)
	}
	g.Headroom, g.xoff = in.Chip.Rounding.headroom(g.sized.Cells), g.sized.XOFF
	reserve := g.sized.XON
	if !in.Pool.SharesHeadroom() { // SONiC adds a frame for a port of eight lanes, and rounds to KiB
		reserve = max(reserve, g.sized.Size-g.sized.XOFF)
	}
	if profile := g.sized.Profile; profile.Stated {
		reserve = in.profileReserve(profile)
	}
	g.reservedBytes = g.class.Reserved.Or(reserve)
	// Without a table the resume threshold lies two longest frames under the
	// limit, as in the DCQCN paper's buffer settings (SIGCOMM 2015, section 4).
	g.xonOffset = g.class.XONOffset.Or(g.sized.XONOffset.Or(2 * mtu))
	g.XONOffset = in.Chip.Rounding.resumeOffset(in.Chip.Cell.Holding(g.xonOffset))
	return nil
}

// reservedItems names each group's reserved cells on the bill. The names are parts of one text: a plan makes them all.
func (d *demand) reservedItems() []string {
	const reservedPrefix = "reserved "
	var all strings.Builder
	n := 0
	for i := range d.groups {
		n += len(reservedPrefix) + len(d.groups[i].class.Name)
	}
	all.Grow(n)
	out := make([]string, len(d.groups))
	for i := range d.groups {
		from := all.Len()
		all.WriteString(reservedPrefix)
		all.WriteString(d.groups[i].class.Name)
		out[i] = all.String()[from:]
	}
	return out
}

// headroomItem names the headroom of a group on such a port on the bill.
func (g *groupDemand) headroomItem(k portKind) string {
	return "headroom " + g.class.Name + " " + k.Rate.String() + " " + k.Path()
}

// explain returns the headroom of a lossless group with its terms and their sources. A plan needs them, and admission
// does not: texts cost more than numbers.
func (in *Intent) explain(k portKind, g *groupDemand) thresholds.Explanation {
	e, err := in.Sizing.Explain(k.link(g.class.frame(k.MTU)), in.Memory())
	if err != nil { // the same link was sized before
		panic(fmt.Sprintf("buffer: method %s explains nothing that it sized: %v", in.Sizing.Method(), err))
	}
	return e
}

// explanations are those of the links of one plan, so that each is made once: by link.
type explanations map[thresholds.Link]thresholds.Explanation

// explanationOf returns the explanation of a group's headroom.
func (x explanations) explanationOf(in *Intent, k portKind, g *groupDemand) thresholds.Explanation {
	link := k.link(g.class.frame(k.MTU))
	e, ok := x[link]
	if !ok {
		e = in.explain(k, g)
		x[link] = e
	}
	return e
}

// ordered refuses thresholds that are out of order: resume <= pause <= size. A group with a static limit pauses at its
// reserved cells plus the limit. With an alpha the pause threshold depends on the other groups, so it is not checked.
// The rows of a vendor's table only get warnings, because their columns mean different things with dedicated and with
// shared headroom.
func (g *groupDemand) ordered(p *Port) error {
	h := g.sized
	static := g.Limit.Mode() == thresholds.StaticLimit
	if pause := g.Reserved + g.Limit.Cells(); g.Lossless && static && g.XONOffset > pause {
		return fmt.Errorf("port %s, class %s: xon offset of %d cells: "+
			"want at most the %d cells at which the group pauses", p.Name, g.class.Name, g.XONOffset, pause)
	}
	if !h.Profile.Stated && h.Size > 0 && h.XON > h.Size {
		return fmt.Errorf("port %s, class %s: method %s pauses at %v: want at most the size of %v",
			p.Name, g.class.Name, h.Method, h.XON, h.Size)
	}
	return nil
}

// profileReserve returns the PG-min that a table's profile means: its size alone where headroom is shared, its size
// less the headroom where headroom is dedicated.
func (in *Intent) profileReserve(p thresholds.Profile) unit.Bytes {
	if in.Pool.SharesHeadroom() || p.Size < p.XOFF {
		return p.Size
	}
	return p.Size - p.XOFF
}
