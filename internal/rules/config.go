package rules

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The ports and queues of a switch that a point makes. A group has the index 8 port + pg, a queue that of its port.
const (
	Ports  = 128
	groups = Ports * 8
)

// others is the limit that does not count the group's own cells, and with port set the limit of two levels: the port
// may hold twice as much as a group.
type others struct{ port bool }

// Limit returns the number of shared cells that the group may hold.
func (o others) Limit(s mmu.Share) cells.Count {
	if !o.port {
		return s.Limit.At(s.Free + s.Used)
	}
	return min(s.Limit.At(s.Free), thresholds.Dynamic(s.Limit.Alpha()+1).At(s.Free)-(s.PortUsed-s.Used))
}

// String returns the name of the policy.
func (o others) String() string {
	if o.port {
		return "limit of group and port"
	}
	return "limit by what others hold"
}

// Config returns the MMU of a point, which must be valid. It has [Ports] ports with 8 groups each, and a queue for
// each port.
func (p *Point) Config() mmu.Config {
	r, x := &p.Rule, &p.Numbers
	c := mmu.Config{Cell: cells.Size(x[Cell]), Overhead: unit.Bytes(x[Overhead]), Slices: r.Slices(),
		Rule: mmu.Rule{LastPacket: r[Last] == LastStraddles, LimitAfter: r[Limit] == LimitAfter,
			PauseAtLimit: r[XOFF] == XOFFFull, HeadroomShared: r[Owner] == OwnerShared,
			ReservedShared: r[Minimum] == MinimumCounted, ReservedLast: r[Minimum] == MinimumLast},
		Pools: []mmu.Pool{{Shared: cells.Count(x[Shared])}}}
	if r[Second] == SecondPackets {
		c.Packets = max(x[MostPackets], 1)
	}
	g := mmu.Group{Reserved: cells.Count(x[Reserved]), Limit: thresholds.Dynamic(thresholds.Alpha(p.Alpha)), Lossless: true,
		Headroom: cells.Count(x[Headroom]), XON: thresholds.XON{Offset: cells.Count(x[Offset]), Latched: r[XON] == XONLatched}}
	if r[XON] == XONLevel {
		g.XON = thresholds.XON{Floor: cells.Count(x[Offset]), Offset: 1 << 39}
	}
	if r[XOFF] == XOFFHeadroom {
		g.Stage, g.XON = mmu.Stage{XOFF: cells.Count(x[Stage]), XON: cells.Count(x[Offset])}, thresholds.XON{}
	}
	switch r[Form] {
	case FormStatic:
		g.Limit = thresholds.Static(cells.Count(x[Static]))
	case FormOthers:
		c.Pools[0].Policy = others{}
	case FormPort:
		c.Pools[0].Policy = others{port: true}
		c.PortPools = make([]mmu.PortPool, Ports)
	}
	switch r[Owner] {
	case OwnerPort:
		c.HeadroomPools = slices.Repeat([]cells.Count{g.Headroom}, Ports)
	case OwnerPool:
		c.HeadroomPools = []cells.Count{cells.Count(x[Pool])}
	}
	for i := range groups {
		one := g
		switch r[Owner] {
		case OwnerPort:
			one.HeadroomPool = 1 + i/8
		case OwnerPool:
			one.HeadroomPool = 1
		}
		if r[Form] == FormPort {
			one.PortPool = 1 + i/8
		}
		c.Groups = append(c.Groups, one)
	}
	if r[Egress] == EgressQueue {
		c.EgressPools = []mmu.Pool{{Shared: 1 << 38}}
		c.Queues = slices.Repeat([]mmu.Queue{{Limit: thresholds.Static(cells.Count(x[Queue]))}}, Ports)
	}
	return c
}
