package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file says of a plan which credits its ports have.

// Channel is what one virtual channel has in one slice. A credit is a cell of the chip, and each has a reserved one.
type Channel struct {
	Port    string
	Channel int // 0 to 31
	Slice   int
	Class   string
	Traffic cbfc.TrafficClasses // that are in the channel

	Reserved cells.Count // credits that are its own
	Mode     cbfc.ShareMode
	Limit    cells.Count      // with cbfc.UpTo: the most of the port's shared credits that it takes
	Alpha    thresholds.Alpha // with cbfc.Dynamic: at most 2^n times those that are free
	Shared   cells.Count      // shared credits of all channels of the port
	Alone    cells.Count      // what the channel gets while no other uses shared credits
	FullRate cells.Count      // what keeps the link full; 0: not known

	// As asked for, and in whole credits: up for what has to hold something, down for limits.
	ReservedAsked   unit.Bytes
	ReservedGranted unit.Bytes
	LimitAsked      unit.Bytes
	LimitGranted    unit.Bytes
	SharedAsked     unit.Bytes
	SharedGranted   unit.Bytes
}

// LimitText says how the channel uses shared credits: "none", "static 100", "2^1".
func (c *Channel) LimitText() string {
	switch c.Mode {
	case cbfc.UpTo:
		return fmt.Sprintf("static %d", c.Limit)
	case cbfc.Dynamic:
		return fmt.Sprintf("2^%d", c.Alpha.DynamicTh())
	}
	return "none"
}

// SharedCreditsOfPort is the name of the threshold that all channels of a port have in common.
const SharedCreditsOfPort = "shared credits of the port"

// Granted lists the thresholds of the channel that were rounded to credits.
func (c *Channel) Granted() []Granted {
	return rounded(Granted{"reserved credits", c.ReservedAsked, c.ReservedGranted},
		Granted{"limit on shared credits", c.LimitAsked, c.LimitGranted},
		Granted{SharedCreditsOfPort, c.SharedAsked, c.SharedGranted})
}

// Credits are the credits of one port: what its neighbour may have in use.
type Credits struct {
	Account  cbfc.Account     // how both ends count packets: a credit is a cell of the chip
	Pool     cbfc.Pool        // reserved and shared; the profiles are in the order of Channels
	Channels []VirtualChannel // ascending
	Classes  []string         // of the channels
	FullRate []cells.Count    // credits that keep the link full for a channel; 0: not known
}

// Credits returns the credits of a port; without channels if no class has them there. The error is that of a port that
// cannot be sized.
func (in *Intent) Credits(port int) (Credits, error) {
	d, err := in.demandOf(&in.Ports[port])
	if err != nil {
		return Credits{}, err
	}
	out := Credits{Account: cbfc.Native(in.Chip.Memory()), Pool: d.pool()}
	for i := range d.channels {
		c := &d.channels[i]
		out.Channels, out.Classes = append(out.Channels, c.VirtualChannel), append(out.Classes, c.class.Name)
		out.FullRate = append(out.FullRate, c.fullRate)
	}
	return out, nil
}

// channels lists what the virtual channels of admitted ports have, by port, channel, slice. The ports are given in
// order.
func (a *Admission) channels(admitted []int) []Channel {
	var out []Channel
	for _, i := range admitted {
		out = a.channelRows(out, i)
	}
	return out
}

// ChannelsOf returns the virtual channels of the i-th port as it asks for them, whether it is admitted or not.
func (a *Admission) ChannelsOf(i int) []Channel { return a.channelRows(nil, i) }

// channelRows adds the rows of one port.
func (a *Admission) channelRows(out []Channel, i int) []Channel {
	d, name := a.ports[i].demand, a.in.Ports[i].Name
	if len(d.channels) == 0 {
		return out
	}
	charged := slices.Sorted(slices.Values(a.slices[a.ports[i].pipe]))
	pool, cell := d.pool(), a.in.Chip.Cell
	for j := range d.channels {
		c := &d.channels[j]
		row := Channel{Port: name, Channel: c.Number, Class: c.class.Name, Traffic: c.Traffic,
			Reserved: c.reserved, Mode: c.mode, Limit: c.most, Alpha: c.alpha, Shared: d.shared,
			Alone: cells.Count(pool.Alone(j)), FullRate: c.fullRate,
			ReservedAsked: c.reservedBytes, ReservedGranted: cell.Bytes(c.reserved),
			SharedAsked: a.in.Ports[i].SharedCredits, SharedGranted: cell.Bytes(d.shared)}
		if c.mode == cbfc.UpTo {
			row.LimitAsked, row.LimitGranted = c.class.StaticLimit, cell.Bytes(c.most)
		}
		for _, s := range charged {
			row.Slice = s
			out = append(out, row)
		}
	}
	return out
}

// channelSettings lists the registers of the channels of a port.
func channelSettings(out []Setting, port string, d *demand) []Setting {
	out = appendSetting(out, Register{PortCredits, port, 0}, int64(d.shared))
	for i := range d.channels {
		c := &d.channels[i]
		set := func(k Kind, v int64) { out = appendSetting(out, Register{k, port, c.Number}, v) }
		set(ChannelTraffic, int64(c.Traffic))
		set(ChannelReserved, int64(c.reserved))
		switch c.mode {
		case cbfc.UpTo:
			set(ChannelStatic, int64(c.most))
		case cbfc.Dynamic:
			set(ChannelAlpha, int64(c.alpha.DynamicTh()))
		}
	}
	return out
}

// mostTold is the largest number of credits that a receiver can tell of a whole port:
// SAI_PORT_ATTR_CBFC_RECEIVER_NATIVE_TOTAL_CREDITS has 16 bits, though a limit has 20.
const mostTold cells.Count = 1<<16 - 1

// warnCredits says of each kind of port with credits whether they keep its link full, and what is not known of them.
func (a *Admission) warnCredits(kinds []kindOfPorts, warn func(string)) {
	withCredits := map[*demand]bool{} // and whether it has pauses too
	for _, k := range kinds {
		if d := k.demand; len(d.channels) > 0 {
			withCredits[d] = slices.ContainsFunc(d.groups, func(g groupDemand) bool { return g.Lossless })
			a.warnFull(d, warn)
			d.warnShared(warn)
		}
	}
	if len(withCredits) == 0 {
		return
	}
	var ports []string // with both
	for i := range a.ports {
		if withCredits[a.ports[i].demand] {
			ports = append(ports, a.in.Ports[i].Name)
		}
	}
	if len(ports) > 0 {
		warn(fmt.Sprintf("%s: pauses (PFC) and credits (CBFC) on one port: SAI turns PFC on for a priority and CBFC for a "+
			"virtual channel, and does not say whether a port can have both", FoldPorts(ports)))
	}
	if a.in.Chip.Channels == 0 {
		warn(fmt.Sprintf("not sourced, and not checked: whether %s has credits (CBFC), and how many virtual channels; "+
			"SAI has at most %d a port", a.in.Chip.Name, cbfc.MaxChannels))
	}
}

// warnFull says of each class on a kind of port whether its credits keep the link full.
func (a *Admission) warnFull(d *demand, warn func(string)) {
	pool := d.pool()
	for i := range d.channels {
		c := &d.channels[i]
		text := fmt.Sprintf("class %s at %v over %s: %d credits of a cell each (CBFC)", c.class.Name, d.kind.Rate,
			d.kind.Path(), c.reserved)
		alone := cells.Count(pool.Alone(i))
		switch {
		case c.fullRate == 0:
			text += "; how many keep the link full is not known"
		case c.reserved >= c.fullRate:
			text += fmt.Sprintf(": the link stays full with %d; delays of the ends are inferred", c.fullRate)
		case alone >= c.fullRate:
			text += fmt.Sprintf(": the link needs %d to stay full, and a channel has up to %d while no other uses the %d "+
				"shared ones", c.fullRate, alone, d.shared)
		case alone > c.reserved:
			text += fmt.Sprintf(", %d with shared ones, fewer than the %d that keep the link full: no frame is lost, and the "+
				"link is slower", alone, c.fullRate)
		default:
			text += fmt.Sprintf(", fewer than the %d that keep the link full: no frame is lost, and the link is slower",
				c.fullRate)
		}
		warn(text)
	}
}

// warnShared says what of the shared credits of a kind of port has no effect, or cannot be told to the neighbour.
func (d *demand) warnShared(warn func(string)) {
	used := false
	for i := range d.channels {
		c := &d.channels[i]
		used = used || c.mode != cbfc.ReservedOnly
		if c.mode != cbfc.ReservedOnly && d.shared == 0 && c.class.Credits {
			warn(fmt.Sprintf("class %s has a limit on shared credits, and ports at %v over %s have none (shared_credits)",
				c.class.Name, d.kind.Rate, d.kind.Path()))
		}
	}
	if d.shared > 0 && !used {
		warn(fmt.Sprintf("the %d shared credits of ports at %v over %s are not used: no class has alpha or static_limit",
			d.shared, d.kind.Rate, d.kind.Path()))
	}
	if d.shared > 0 && d.credits() > mostTold {
		warn(fmt.Sprintf("%d credits of a port that shares them at %v over %s: a receiver can tell at most %d "+
			"(SAI_PORT_ATTR_CBFC_RECEIVER_NATIVE_TOTAL_CREDITS has 16 bits); a limit for each channel has 20", d.credits(),
			d.kind.Rate, d.kind.Path(), mostTold))
	}
}
