package buffer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Intent is what an operator wants of a switch.
type Intent struct {
	Chip        Chip
	Sizing      thresholds.Sizer // how headroom is sized
	Pool        Pool             // zero: the chip's whole memory, dedicated headroom
	SharedFloor unit.Percent     // share of every slice that must remain shared; 0: none
	Trimming    Trimming         // of what classes with Trim drop; zero: the switch does not trim
	EgressPools []EgressPool     // that the switch has; none: not stated, and nothing is checked behind the ingress
	Classes     []Class
	// DSCP maps code points to priorities, on every port that carries the
	// priority's class. Zero: the device's own map stays.
	DSCP pg.DSCPMap
	// Trust says where the ports read the priority of a packet. It changes no plan and no register: the other end of a
	// link has to read the same. With DSCP it is [pg.TrustDSCP]. Zero: it is not stated.
	Trust pg.Trust
	// ETS are the groups by which the egress queues of every port share its bandwidth: see [Class.ETS]. A port that
	// carries no class of a group has the others. Empty: there are no groups.
	ETS   []ets.Group
	Ports []Port // in the order in which they are served
}

// Pool is the global cell pool as a NOS configures it: for the whole chip, in bytes; each slice gets an equal part.
type Pool struct {
	Size           unit.Bytes // 0: all that the chip leaves
	SharedHeadroom unit.Bytes // SAI's pool XOFF_SIZE; 0: every group's headroom is dedicated, unless there is a ratio

	// SharedHeadroomRatio gives the shared headroom pool a size that follows the ports, in place of SharedHeadroom. Each
	// slice gets the same number of cells: the headroom of all groups in the slice that needs most, divided by the ratio,
	// and at least the headroom of the largest group. With a ratio of 4 a quarter of the groups can be full at the same
	// time; the operator assumes that more never are. 0: no ratio.
	SharedHeadroomRatio int

	// Whether Size includes the headroom, and the reserved minima, differs from
	// vendor to vendor. Size 0 includes both by nature.
	SizeIncludesHeadroom bool
	SizeIncludesReserved bool
}

// Class is a traffic class: priorities that are treated alike on every port.
type Class struct {
	Name       string
	Priorities []int // 0 to 7
	Lossless   bool  // each priority has a group of its own, with headroom, and is paused (PFC)
	// Credits says that the class is lossless by credits (CBFC), and not by pauses. It has virtual channels in place of
	// groups. Reserved is the credits of each in bytes; absent: as many as keep the link full. Alpha and StaticLimit are
	// its limit on the SharedCredits of a port, in bytes of the port; neither: it uses none of them.
	Credits bool
	// Channels says which traffic class is in which virtual channel, on ports where the class has credits. A priority that
	// is not there has the channel of its number. Traffic classes from 8 on are no priorities: they have credits, and no
	// queue that is planned.
	Channels []cbfc.Assignment
	// Group is the group in which the packets of a lossy class are counted. Classes may share one, and then say the same
	// of it: Reserved, Alpha, StaticLimit. Absent: the group of the lowest priority.
	Group unit.Optional[int]
	// Reserved is the PG-min of each group. Absent: what the headroom method wants before XOFF, else none.
	Reserved unit.Optional[unit.Bytes]
	Alpha    *thresholds.Alpha // shared limit; nil: what the headroom table gives, else 1
	// StaticLimit is a shared limit in place of Alpha, in bytes for the whole
	// chip, as Pool.Size is; each slice has an equal part. 0: none.
	StaticLimit unit.Bytes

	MTU unit.Bytes // longest frame of the class, where the port's MTU is not shorter; 0: the port's MTU
	// XONOffset is how far under its limit a group resumes. Absent: the table's, else two MTU.
	XONOffset unit.Optional[unit.Bytes]
	ECN       ecn.Thresholds // marking of the class's egress queues; zero: none

	// QueueReserved is the minimum of each egress queue of the class; every priority has the queue of its number. It is
	// charged in every slice of the chip, whichever pipe the port is on: a packet that leaves by the queue may have come
	// in through any of them. 0: none.
	QueueReserved unit.Bytes

	// Trim says that what the egress queues of the class refuse is trimmed, as Intent.Trimming says. A class that loses
	// nothing has none of it.
	Trim bool

	// Egress says where the packets of the class are counted until they have left.
	Egress Egress

	// Weight is the share of each egress queue of the class among the queues with weights, 1 to MaxWeight. Strict queues
	// send before all of these, the higher queue first. Either every class has one of the two, or none has: then the
	// device keeps its own schedule. With groups, all this is so within each group: see [Intent.Schedule].
	Weight int
	Strict bool
	// ETS is the number of the group that the class is in, of Intent.ETS. With groups every
	// class has one, without groups none has.
	ETS unit.Optional[int]
}

// Port is one interface.
type Port struct {
	Name   string
	Rate   unit.BitRate
	Cable  unit.Length
	Medium thresholds.Medium        // of the cable
	Delay  unit.Optional[unit.Time] // measured one-way delay, in place of the cable's
	// Measured says how Delay was measured, which then is its OneWay. Cable, if it is above 0, is then what the
	// measurement is compared with. Zero: it is not said.
	Measured thresholds.Measurement
	Extra    unit.Time  // one-way delay beyond cable and interfaces, such as a retimer's; 0: none
	MACsec   bool       // thresholds.MACsecDelay more each way, for MACsec whose delay is not known
	MTU      unit.Bytes // longest frame of any class
	Pipe     *int       // ingress pipe of the chip; nil: ports take the pipes in turn
	Lanes    int        // width of the port, 1 to thresholds.MaxLanes; 0: as the headroom method has it for the speed

	// Response is the response time of the neighbour, in place of the one that the headroom method has for the speed.
	Response unit.Optional[unit.Time]

	// Reserved is the port's own minimum in the ingress pool, which its groups use before what all share, as
	// mmu.PortPool.Reserved. It is charged in the slices of the port's pipe. 0: none.
	Reserved unit.Bytes

	// Credits says that the lossless classes have credits (CBFC) on this port, in place of pauses, as Class.Credits.
	Credits bool
	// SharedCredits are those that the virtual channels of the port share, in bytes, each class by its limit. 0: none.
	SharedCredits unit.Bytes

	// PFCWithoutHeadroom has a bit for each priority with PFC that is of no lossless class of the port, bit n for
	// priority n: the port obeys pauses for it, and its group has no headroom. 0: none. It takes no cells.
	PFCWithoutHeadroom uint8

	// Classes are those that the port carries; the others have no groups and no queues on it. 0: all.
	Classes ClassSet
	State   PortState // matters only where Chip.Reclaims says so
}

// Nameless returns the port without its name and its pipe, by which alike ports differ.
func (p *Port) Nameless() Port {
	out := *p
	out.Name, out.Pipe = "", nil
	return out
}

// Link returns the link of a port whose lossless frames have at most this number of
// bytes, and no more than any of the port: what a Sizer has to know of it.
func (p *Port) Link(lossless unit.Bytes) thresholds.Link {
	return thresholds.Link{Rate: p.Rate, Cable: p.Cable, Medium: p.Medium, Delay: p.Delay,
		Measured: p.Measured, Extra: p.Extra,
		MACsec:   p.MACsec,
		Response: p.Response, MTU: p.MTU, LosslessMTU: min(lossless, p.MTU), Lanes: p.Lanes}
}

// Frame returns the longest frame that the class has on a port: its own, or the port's if that is shorter or the class
// states none.
func (c *Class) Frame(p *Port) unit.Bytes { return c.frame(p.MTU) }

func (c *Class) frame(port unit.Bytes) unit.Bytes { return min(cmp.Or(c.MTU, port), port) }

// Memory returns what the sizing of a headroom has to know of the chip's memory, and of the pool in it.
func (in *Intent) Memory() thresholds.Memory {
	m := in.Chip.Memory()
	m.SharedHeadroom = in.Pool.SharesHeadroom()
	return m
}

// Groups returns the priority groups of the class, ascending; none for a class with credits, which has channels.
func (c *Class) Groups() []int { return c.appendGroups(nil) }

// appendGroups appends the groups to a slice without elements.
func (c *Class) appendGroups(out []int) []int {
	if len(c.Priorities) == 0 || c.Credits {
		return nil
	}
	if group, given := c.Group.Get(); given && !c.Lossless {
		return append(out, group)
	}
	lowest := slices.Min(c.Priorities)
	for _, p := range c.Priorities {
		out = append(out, pg.Of(p, lowest, c.Lossless))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// clone returns an intent that shares nothing with the caller's but the sizer, which does not change.
func (in Intent) clone() Intent {
	in.Chip.Slices = slices.Clone(in.Chip.Slices)
	for _, pipes := range []*[][]int{&in.Chip.Pipes, &in.Chip.EgressPipes} {
		*pipes = slices.Clone(*pipes)
		for i, p := range *pipes {
			(*pipes)[i] = slices.Clone(p)
		}
	}
	in.EgressPools, in.ETS = slices.Clone(in.EgressPools), slices.Clone(in.ETS)
	in.Classes = slices.Clone(in.Classes)
	n := 0
	for i := range in.Classes {
		n += len(in.Classes[i].Priorities)
	}
	priorities := make([]int, 0, n) // of all classes
	for i := range in.Classes {
		c := &in.Classes[i]
		from := len(priorities)
		priorities = append(priorities, c.Priorities...)
		c.Priorities = nil
		*c = c.clone()
		c.Priorities = priorities[from:len(priorities):len(priorities)]
	}
	in.Ports = slices.Clone(in.Ports)
	for i := range in.Ports {
		if p := &in.Ports[i]; p.Pipe != nil {
			p.Pipe = new(*p.Pipe)
		}
	}
	return in
}

// SharesHeadroom tells whether groups share their headroom.
func (p *Pool) SharesHeadroom() bool { return p.SharedHeadroom > 0 || p.SharedHeadroomRatio > 0 }

func (p *Pool) validate(bad *fielderr.List) {
	const most = unit.Bytes(1) << 50
	if p.Size < 0 || p.Size > most {
		bad.Add("pool.size", p.Size.String(), "0B (the whole memory) to "+most.String())
	}
	if p.SharedHeadroom < 0 || p.SharedHeadroom > most {
		bad.Add("pool.shared_headroom", p.SharedHeadroom.String(), "0B (dedicated headroom) to "+most.String())
	}
	if p.SharedHeadroomRatio < 0 || p.SharedHeadroomRatio > MaxRatio || p.SharedHeadroomRatio > 0 && p.SharedHeadroom > 0 {
		bad.Add("pool.shared_headroom_ratio", fmt.Sprint(p.SharedHeadroomRatio),
			fmt.Sprintf("0 (no ratio) to %d, and no shared_headroom beside it", MaxRatio))
	}
	if p.SizeIncludesHeadroom && p.Size > 0 && p.SharedHeadroom > p.Size {
		bad.Add("pool.shared_headroom", p.SharedHeadroom.String(),
			"at most the pool's size "+p.Size.String()+", which includes it")
	}
}

// mostMinimum is more than any buffer minimum or threshold.
const mostMinimum = unit.Bytes(1) << 40

// poolBytes returns how large the pool is at most, and what says so; 0 if the chip does not say it.
func (in *Intent) poolBytes() (unit.Bytes, string) {
	memory := unit.Bytes(0)
	if in.Chip.Cell > 0 && in.Chip.TotalCells() > 0 && in.Chip.TotalCells() <= MaxCells {
		memory = in.Chip.Cell.Bytes(in.Chip.TotalCells())
	}
	if in.Pool.Size > 0 && (memory == 0 || in.Pool.Size < memory) {
		return in.Pool.Size, "the pool's size"
	}
	return memory, "the chip's memory"
}

const portNameForm = "an interface name: letters, digits and / _ . : -, with a letter or a digit at both ends"

// maxPortName is more than any interface name has: Linux has 15 characters, and "HundredGigabitEthernet1/0/0/0.4094"
// 34.
const maxPortName = 64
