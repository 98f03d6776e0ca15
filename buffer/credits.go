package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file sizes the virtual channels of a port (credit-based flow control, CBFC). A channel is no priority group: a
// port has up to 32 of them, and a map says which traffic classes are in which (SAI doc/CBFC, TC_TO_VC). Each has
// reserved credits, and a limit on the credits that the channels of the port share: none, static, or 2^n of those that
// are free. That is the shape of PG-min, pool and alpha, with one difference. The neighbour spends a credit without
// asking, so its cell cannot be lent to another port meanwhile: the cells behind all credits of a port, reserved and
// shared, are reserved in the slices of the port. They are admitted into the same slices as headroom, and refused in
// the same way.

// VirtualChannel is a channel with the traffic classes that are in it.
type VirtualChannel struct {
	Number  int
	Traffic cbfc.TrafficClasses
}

// VirtualChannels returns the channels of the class, ascending: those of Channels, and for each other priority the
// channel of its number. A class without credits uses them on ports that have credits for their lossless classes.
func (c *Class) VirtualChannels() []VirtualChannel {
	var traffic [cbfc.MaxChannels]cbfc.TrafficClasses
	add := func(t, channel int) {
		if t >= 0 && t < cbfc.MaxTraffic && channel >= 0 && channel < cbfc.MaxChannels { // else it is refused
			traffic[channel] |= cbfc.Traffic(t)
		}
	}
	for _, a := range c.Channels {
		add(a.Traffic, a.Channel)
	}
	for _, p := range c.Priorities {
		if !slices.ContainsFunc(c.Channels, func(a cbfc.Assignment) bool { return a.Traffic == p }) {
			add(p, p)
		}
	}
	out := make([]VirtualChannel, 0, len(c.Priorities)+len(c.Channels))
	for n, t := range traffic {
		if t != 0 {
			out = append(out, VirtualChannel{n, t})
		}
	}
	return out
}

// CreditsOn tells whether the class has credits on a port: of its own, or because the port has them for its lossless
// classes.
func (c *Class) CreditsOn(p *Port) bool { return c.Credits || c.Lossless && p.Credits }

// ownGroups tells whether each priority of the class has a group of its own, or a channel.
func (c *Class) ownGroups() bool { return c.Lossless || c.Credits }

// channelDemand is what one virtual channel of a port asks for.
type channelDemand struct {
	VirtualChannel
	class         *Class
	reserved      cells.Count // a cell for each reserved credit
	mode          cbfc.ShareMode
	most          cells.Count      // of the shared credits, with cbfc.UpTo
	alpha         thresholds.Alpha // with cbfc.Dynamic
	reservedBytes unit.Bytes       // as asked for
	fullRate      cells.Count      // credits that keep the link full; 0: not known
}

// profile is the credits of the channel as SAI has them.
func (c *channelDemand) profile() cbfc.Profile {
	out := cbfc.Profile{Reserved: cbfc.Credits(c.reserved), Mode: c.mode}
	switch c.mode {
	case cbfc.UpTo:
		out.Most = cbfc.Credits(c.most)
	case cbfc.Dynamic:
		out.N = c.alpha.DynamicTh()
	}
	return out
}

// reservedItem names the reserved credits of the channel on the bill.
func (c *channelDemand) reservedItem() string { return "credits " + c.class.Name }

// sharedCreditsItem names the shared credits of a port on the bill.
const sharedCreditsItem = "shared credits"

// keepsFull returns the virtual channel of a class on a link, to be sized so that the link stays full.
func (in *Intent) keepsFull(c *Class, l thresholds.Link) cbfc.Channel {
	out := cbfc.Channel{Link: l, Memory: in.Chip.Memory()}
	switch s := in.Sizing.(type) {
	case thresholds.IEEE:
		out.Delays, out.Frame = s.Delays, s.Mix.Frame()
	case thresholds.Framed:
		out.Frame = s.LongestFrame()
	}
	return out
}

// channelsOf returns the channels that class c asks for on port p. All have the same credits: those that the class
// states, or those that keep the link full.
func (in *Intent) channelsOf(c *Class, p *Port) ([]channelDemand, error) {
	refuse := func(format string, args ...any) ([]channelDemand, error) {
		return nil, fmt.Errorf("port %s, class %s: %s", p.Name, c.Name, fmt.Sprintf(format, args...))
	}
	d := channelDemand{class: c}
	full, err := cbfc.Size(in.keepsFull(c, p.Link(c.Frame(p))))
	stated, given := c.Reserved.Get()
	if err != nil && !given {
		return nil, fmt.Errorf("port %s, class %s: credits: %w", p.Name, c.Name, err)
	}
	d.reservedBytes = stated
	if !given {
		d.reservedBytes = full.Buffer
	}
	if err == nil {
		d.fullRate = full.Cells
	}
	d.reserved = in.Chip.Cell.Holding(d.reservedBytes)
	switch {
	case c.StaticLimit > 0:
		d.mode, d.most = cbfc.UpTo, in.Chip.Cell.Within(c.StaticLimit)
	case c.Alpha != nil:
		d.mode, d.alpha = cbfc.Dynamic, *c.Alpha
		if n := d.alpha.DynamicTh(); n < cbfc.LeastN || n > cbfc.MostN {
			return refuse("alpha %v (dynamic_th %d): accepted for shared credits: dynamic_th %d to %d", d.alpha, n, cbfc.LeastN,
				cbfc.MostN)
		}
	}
	var out []channelDemand
	for _, vc := range c.VirtualChannels() {
		d.VirtualChannel = vc
		if has := in.Chip.Channels; has > 0 && vc.Number >= has {
			return refuse("virtual channel %d: want 0 to %d: %s has %d a port (%s)", vc.Number, has-1, in.Chip.Name, has,
				orUnknown(in.Chip.Sources.Channels))
		}
		if d.reserved > cells.Count(cbfc.MaxLimit) {
			return refuse("virtual channel %d: %d credits: want at most the %d that counters of 20 bits hold", vc.Number,
				d.reserved, cbfc.MaxLimit)
		}
		out = append(out, d)
	}
	return out, nil
}

// addChannels adds the channels of a class to what a port asks for.
func (d *demand) addChannels(in *Intent, c *Class, p *Port) error {
	channels, err := in.channelsOf(c, p)
	for i := range channels {
		d.reserved += channels[i].reserved
	}
	d.channels = append(d.channels, channels...)
	return err
}

// shareCredits adds the shared credits of a port, once all its channels are known. A sender that shares counts the
// credits of the port too, with 20 bits (SAI_PORT_ATTR_CBFC_SENDER_CREDIT_LIMIT). One that does not has a limit for
// each channel alone.
func (d *demand) shareCredits(in *Intent, p *Port) error {
	slices.SortFunc(d.channels, func(a, b channelDemand) int { return a.Number - b.Number })
	for i := 1; i < len(d.channels); i++ { // a Manager admits ports one by one
		if a, b := &d.channels[i-1], &d.channels[i]; a.Number == b.Number {
			return fmt.Errorf("port %s: virtual channel %d is of class %s and of class %s: want one class", p.Name,
				a.Number, a.class.Name, b.class.Name)
		}
	}
	if d.shared = in.Chip.Cell.Holding(p.SharedCredits); d.shared == 0 {
		return nil
	}
	d.reserved += d.shared
	if n := d.credits(); n > cells.Count(cbfc.MaxLimit) {
		return fmt.Errorf("port %s: %d credits in all, %d of them shared: want at most the %d that a port whose "+
			"channels share credits counts with 20 bits", p.Name, n, d.shared, cbfc.MaxLimit)
	}
	return nil
}

// credits returns the credits of all channels of a port together.
func (d *demand) credits() cells.Count {
	n := d.shared
	for i := range d.channels {
		n += d.channels[i].reserved
	}
	return n
}

// pool is the credits of the port as SAI has them: the profiles are in the order of the channels.
func (d *demand) pool() cbfc.Pool {
	out := cbfc.Pool{Size: cbfc.Credits(d.credits())}
	for i := range d.channels {
		out.Profiles = append(out.Profiles, d.channels[i].profile())
	}
	return out
}

// validateCredits refuses what a class with credits cannot have.
func (c *Class) validateCredits(in *Intent, path string, bad *fielderr.List) {
	c.validateChannels(path, bad)
	if !c.Credits {
		return
	}
	bad.Check(!c.Lossless, path+".lossless", "pfc and cbfc", "one of the two")
	bad.Check(!c.Group.IsGiven(), path+".group", c.Group, "none: a class with credits has virtual channels")
	bad.Check(!c.XONOffset.IsGiven(), path+".xon_offset", c.XONOffset, "none: credits have no pauses to resume from")
	if cell := unit.Bytes(in.Chip.Cell); c.StaticLimit != 0 && cell > 0 {
		most := min(cell*unit.Bytes(cbfc.MaxLimit), mostMinimum)
		bad.Check(c.StaticLimit >= cell && c.StaticLimit <= most && c.Alpha == nil, path+".static_limit", c.StaticLimit,
			"%v (a credit) to %v, and no alpha beside it", cell, most)
	}
	if c.Alpha != nil {
		n := c.Alpha.DynamicTh()
		bad.Check(n >= cbfc.LeastN && n <= cbfc.MostN, path+".alpha", fmt.Sprintf("%v (dynamic_th %d)", *c.Alpha, n),
			"dynamic_th %d to %d, for shared credits", cbfc.LeastN, cbfc.MostN)
	}
}

// validateChannels refuses an entry of the map from traffic class to channel that no switch can have.
func (c *Class) validateChannels(path string, bad *fielderr.List) {
	if len(c.Channels) == 0 {
		return
	}
	path += ".channels"
	if !c.ownGroups() {
		bad.Add(path, fmt.Sprintf("%d traffic classes", len(c.Channels)),
			"none: a class that is not lossless has no virtual channels with credits")
		return
	}
	var seen cbfc.TrafficClasses
	for _, a := range c.Channels {
		at := fmt.Sprintf("%s.%d", path, a.Traffic)
		bad.Within(at, int64(a.Channel), 0, cbfc.MaxChannels-1)
		switch {
		case a.Traffic < 0 || a.Traffic >= cbfc.MaxTraffic:
			bad.Within(path+": traffic class", int64(a.Traffic), 0, cbfc.MaxTraffic-1)
		case seen&cbfc.Traffic(a.Traffic) != 0:
			bad.Add(at, fmt.Sprint(a.Channel), "one channel for each traffic class")
		case a.Traffic < pg.PerPort && !slices.Contains(c.Priorities, a.Traffic):
			bad.Add(at, fmt.Sprint(a.Channel), fmt.Sprintf("a priority of the class, or a traffic class from %d on", pg.PerPort))
		default:
			seen |= cbfc.Traffic(a.Traffic)
		}
	}
}

// validateChannelOwners refuses a channel of two classes, which would have two profiles, and a traffic class of two.
func (in *Intent) validateChannelOwners(bad *fielderr.List) {
	var channels [cbfc.MaxChannels]*Class
	var traffic cbfc.TrafficClasses
	for i := range in.Classes {
		c := &in.Classes[i]
		if !c.ownGroups() {
			continue
		}
		credits := false // with pauses alone a class has no channels
		for k := range in.Ports {
			if p := &in.Ports[k]; c.CreditsOn(p) && p.Classes.Has(i) {
				credits = true
				break
			}
		}
		if !credits {
			continue
		}
		for _, vc := range c.VirtualChannels() {
			if o := channels[vc.Number]; o != nil {
				bad.Add(classPath(i)+".channels", fmt.Sprint(vc.Number),
					fmt.Sprintf("a virtual channel that no class has; class %q has this one", o.Name))
			}
			if twice := traffic & vc.Traffic &^ (1<<pg.PerPort - 1); twice != 0 { // a priority of two classes is refused already
				bad.Add(classPath(i)+".channels", fmt.Sprintf("traffic class %v", twice), "traffic classes of no other class")
			}
			channels[vc.Number], traffic = c, traffic|vc.Traffic
		}
	}
}

// validateShared refuses shared credits on a port that has no credits.
func (in *Intent) validateShared(p *Port, path string, bad *fielderr.List) {
	fielderr.Bounds(bad, path, ".shared_credits", p.SharedCredits, 0, mostMinimum)
	if p.SharedCredits <= 0 {
		return
	}
	for i := range in.Classes {
		if in.Classes[i].CreditsOn(p) && p.Classes.Has(i) {
			return
		}
	}
	bad.Add(path+".shared_credits", p.SharedCredits.String(), "none: no class of the port has credits (lossless: cbfc)")
}
