package buffer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// portKind is what decides a port's demand. Ports of one kind ask for the same.
type portKind struct {
	rate         unit.BitRate
	cable        unit.Length
	medium       thresholds.Medium
	delay, extra unit.Time
	mtu          unit.Bytes
	reserved     unit.Bytes
	classes      ClassSet
	state        PortState
}

func (p *Port) kind() portKind {
	return portKind{p.Rate, p.Cable, p.Medium, p.Delay, p.Extra, p.MTU, p.Reserved, p.Classes, p.State}
}

// over names what the kind's link runs over: "300m", "300m copper", "1.5us
// measured", "300m + 1us".
func (k portKind) over() string {
	text := k.cable.String()
	switch {
	case k.delay > 0:
		text = k.delay.String() + " measured"
	case k.medium != thresholds.Fibre:
		text += " " + k.medium.String()
	}
	if k.extra > 0 {
		text += " + " + k.extra.String()
	}
	return text
}

// demand is what every port of a kind asks for.
type demand struct {
	kind     portKind
	groups   []groupDemand // ascending
	port     cells.Count   // the port's own minimum
	reserved cells.Count   // of all groups and the port together
	headroom cells.Count   // of all groups together
	queues   []queueDemand // ascending; those that reserve nothing are left out
	minima   cells.Count   // of all queues together, in every slice of the chip
}

// queueDemand is what one egress queue of such a port asks for in every slice.
type queueDemand struct {
	queue    int
	reserved cells.Count
	item     string // what it is called on the bill
}

// groupDemand is what one group of such a port asks for.
type groupDemand struct {
	group int
	class *Class
	pg.Config
	sized thresholds.Explanation // zero for a lossy group
	xoff  unit.Bytes

	static cells.Count // limit in each slice; 0: Alpha limits

	reservedBytes, xonOffset unit.Bytes // as asked for

	reservedItem, headroomItem string // what they are called on the bill
}

// demandOf sizes what a port asks for.
func (in *Intent) demandOf(p *Port) (*demand, error) {
	d := &demand{kind: p.kind()}
	if in.Chip.Reclaims.idle(p.State) {
		return d, nil
	}
	d.port = in.Chip.Cell.Holding(p.Reserved)
	d.reserved = d.port
	for i := range in.Classes {
		c := &in.Classes[i]
		if !in.carries(p, i) {
			continue
		}
		g, err := in.groupOf(c, p)
		if err != nil {
			return nil, err
		}
		for _, n := range c.Groups() {
			g.group = n
			d.groups = append(d.groups, g)
			d.reserved += g.Reserved
			d.headroom += g.Headroom
		}
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

// groupOf returns what a group of class c asks for on port p.
func (in *Intent) groupOf(c *Class, p *Port) (groupDemand, error) {
	mtu := c.MTU
	if mtu == 0 {
		mtu = p.MTU
	}
	g := groupDemand{class: c, Config: pg.Config{Lossless: c.Lossless}, reservedItem: "reserved " + c.Name,
		headroomItem: fmt.Sprintf("headroom %s %v %s", c.Name, p.Rate, p.kind().over())}
	reserved, xonOffset := c.Reserved, c.XONOffset
	if c.Alpha != nil {
		g.Alpha = *c.Alpha
	}
	if c.Lossless {
		var err error
		g.sized, err = in.Sizing.Explain(p.Link(mtu), in.Chip.Memory())
		if err != nil {
			return g, fmt.Errorf("port %s, class %s: %w", p.Name, c.Name, err)
		}
		g.Headroom, g.xoff = in.Chip.Rounding.headroom(g.sized.Cells), g.sized.XOFF
		if row := g.sized.Profile; !row.Stated {
			reserved = cmp.Or(reserved, g.sized.XON)
		} else {
			reserved = cmp.Or(reserved, in.profileReserve(row))
			if c.Alpha == nil {
				g.Alpha = row.Alpha
			}
		}
		// Without a table the resume threshold lies two longest frames under the
		// limit, as in the DCQCN paper's buffer settings (SIGCOMM 2015, section 4).
		g.xonOffset = cmp.Or(xonOffset, g.sized.XONOffset, 2*mtu)
		g.XONOffset = in.Chip.Rounding.resumeOffset(in.Chip.Cell.Holding(g.xonOffset))
	}
	if c.StaticLimit > 0 {
		g.static, g.Alpha = in.Chip.Rounding.limit(in.Chip.Cell.Within(c.StaticLimit)/cells.Count(len(in.Chip.Slices))), 0
	} else if !in.Chip.AllowsAlpha(g.Alpha) {
		return g, fmt.Errorf("port %s, class %s: alpha %v (dynamic_th %d): accepted: %s", p.Name, c.Name, g.Alpha, g.Alpha.DynamicTh(), in.Chip.alphaRange())
	}
	g.reservedBytes, g.Reserved = reserved, in.Chip.Cell.Holding(reserved)
	return g, g.ordered(p)
}

// ordered refuses thresholds that are out of order: resume <= pause <= size. A
// group with a static limit pauses at its reserved cells and the limit; with an
// alpha that depends on the others. The rows of a table are criticised in the
// plan's warnings, because some of their columns mean different things.
func (g *groupDemand) ordered(p *Port) error {
	h := &g.sized
	if pause := g.Reserved + g.static; g.Lossless && g.static > 0 && g.XONOffset > pause {
		return fmt.Errorf("port %s, class %s: xon offset of %d cells: accepted: at most the %d cells at which the group pauses", p.Name, g.class.Name, g.XONOffset, pause)
	}
	if !h.Profile.Stated && h.Size > 0 && h.XON > h.Size {
		return fmt.Errorf("port %s, class %s: method %s pauses at %v: accepted: at most the size of %v", p.Name, g.class.Name, h.Method, h.XON, h.Size)
	}
	return nil
}

// profileReserve returns the PG-min that a table's profile means: its size
// alone where headroom is shared, its size less the headroom where headroom is
// dedicated.
func (in *Intent) profileReserve(p thresholds.Profile) unit.Bytes {
	if in.Pool.SharesHeadroom() || p.Size < p.XOFF {
		return p.Size
	}
	return p.Size - p.XOFF
}
