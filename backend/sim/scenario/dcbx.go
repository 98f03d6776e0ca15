package scenario

import (
	"fmt"
	"net"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// readDCBX reads how a port speaks DCBX; nil if it does not. atSwitch tells a port of a switch from a host, which has
// no queues that could share its link.
func (r *reader) readDCBX(v *document.Value, atSwitch bool) *fabric.DCBX {
	// The text "none" takes the key back that a general key has set for all ports.
	if len(v.Keys()) == 0 {
		if v.Text() != "none" {
			v.Refuse("none, or willing and other keys of DCBX")
		}
		return nil
	}
	// start is the time of the first frame and processing that of a frame that was received: both in simulated time, so
	// that the order of two ends is the file's choice and not chance.
	f := v.Fields("willing", "version", "capability", "start", "processing", "ets", "address")
	v.Need(f, "willing")
	d := &fabric.DCBX{Start: document.Quantity(f["start"], unit.ParseTime),
		Processing: document.Quantity(f["processing"], unit.ParseTime)}
	// Without ETS in the frames, the classes are not sent; an agent needs settings that are valid.
	d.Settings = dcbx.Settings{WithoutETS: true, ETS: dcbx.ETSConfiguration{MaxTCs: dcbx.MaxClasses},
		PFC: dcbx.PFC{Willing: f["willing"].Boolean(), Capability: dcbx.MaxClasses}}
	// IEEE 802.1Qaz D.2.11: the number of classes for which a port can have PFC at once, 0 to 8. The default is 8.
	take(&d.Settings.PFC.Capability, f["capability"], integer[uint8](0, dcbx.MaxClasses))
	// Automatic is the rule of the DCBX base specification: a port speaks IEEE until it hears CEE.
	take(&d.Settings.Mode, f["version"], word("automatic, ieee, cee", map[string]dcbx.Mode{"automatic": dcbx.Automatic,
		"ieee": dcbx.OnlyIEEE, "cee": dcbx.OnlyCEE}))
	// Without the key it is zero, and nameDCBX gives the port one.
	d.Settings.Address = document.Quantity(f["address"], parseAddress)
	if x := f["ets"]; x != nil {
		r.readShares(x, d, atSwitch)
	}
	return d
}

// parseAddress reads the MAC address of a port, which decides between two ends that are both willing. Of two willing
// ends the one with the lower address takes over the other's configuration.
func parseAddress(text string) (a pfc.Address, err error) {
	// A group address and the zero address are no addresses of a port, so the comparison of two ends would mean
	// nothing.
	b, err := net.ParseMAC(text)
	if err != nil || len(b) != len(a) || b[0]&1 != 0 || pfc.Address(b) == a {
		return a, fmt.Errorf("%.40q is no MAC address of a port (want one such as 02-00-00-00-00-01)", text)
	}
	return pfc.Address(b), nil
}

// nameDCBX gives each port that speaks DCBX its name and address: those of the capture. A port has its own copy of the
// settings, which a general key can give to many. It runs after all keys of hosts and ports were read, because their
// order decides which settings a port has.
func (r *reader) nameDCBX() {
	n := &r.s.Network
	// An address of the file wins; else the address is the one that the frames of the capture have.
	own := func(at **fabric.DCBX, chassis, port string, kind byte, node, number int) {
		if *at == nil {
			return
		}
		d := **at
		if d.Settings.Address == (pfc.Address{}) {
			d.Settings.Address = address(kind, node, number)
		}
		d.Settings.Name = dcbx.Neighbour{Chassis: dcbx.ID{Subtype: dcbx.LocallyAssigned, Value: chassis},
			Port: dcbx.ID{Subtype: dcbx.PortInterface, Value: port}}
		*at = &d
	}
	// A host is kind 0 and a switch kind 1 of the addresses in the capture: see address.
	for i := range n.Hosts {
		own(&n.Hosts[i].DCBX, n.Hosts[i].Name, "eth0", 0, i, 0)
	}
	for i := range n.Switches {
		for j := range n.Switches[i].Ports {
			p := &n.Switches[i].Ports[j]
			own(&p.DCBX, n.Switches[i].Name, p.Name, 1, i, j)
		}
	}
}

// negotiated is the DCBX of a port during a run. The embedded state has what is in force at the end, each change
// with its time, and the numbers of frames.
type negotiated struct {
	fabric.DCBXState
	Configured pfc.Priorities // those of the file, before any negotiation
	SaysShares bool           // its frames have ETS
}

// negotiated returns the DCBX of a port; nil if it does not speak it.
func (r *run) negotiated(at fabric.End) *negotiated {
	state, ok := r.sim.DCBX(at)
	if !ok {
		return nil
	}
	// What the port had before the first frame of its neighbour is in the network: the run changes its own copy alone.
	configured, speaks := configuredDCBX(&r.Network, at)
	return &negotiated{state, configured, !speaks.Settings.WithoutETS}
}

// expectDCBX reads expectations about what DCBX gave a port. pfc and shares_taken are truth values about the end of
// the run, sent and heard count LLDP frames.
func (r *reader) expectDCBX(v *document.Value) {
	f := v.Fields("at", "to", "class", "pfc", "since", "changes", "sent", "heard", "shares_taken")
	v.Need(f, "at")
	if f["at"] == nil {
		return
	}
	at, ok := r.portNamed(f["at"], f["to"])
	if !ok {
		return
	}
	if _, speaks := configuredDCBX(&r.s.Network, at); speaks == nil {
		f["at"].Refuse("a port with the key dcbx")
		return
	}
	of := func(value func(d *negotiated) int64) func(*Result) int64 {
		return func(res *Result) int64 { return value(res.port(at).DCBX) }
	}
	// PFC is on for a priority and not for a port, so the expectation needs its class.
	if f["pfc"] != nil && f["class"] == nil {
		v.Fail("class: missing: want the class that pfc is about")
	}
	// 1 if PFC of the class is in force at the end of the run, by configuration or by DCBX.
	if c := r.classOf(f["class"]); c >= 0 {
		priority := r.s.Classes[c].Priority
		r.number(f["pfc"], truth, "", of(func(d *negotiated) int64 { return truthOf(d.PFC.Has(priority)) }))
	}
	// since is the time of the last change of what is in force, also of one beyond those that are kept; never if nothing
	// changed.
	r.number(f["since"], timed, "", of(func(d *negotiated) int64 {
		if d.Changed == 0 {
			return int64(never)
		}
		return int64(d.ChangedAt)
	}))
	// 1 if the port has taken over what its neighbour recommends.
	r.number(f["shares_taken"], truth, "", of(func(d *negotiated) int64 { return truthOf(d.Operational.ETS.FromPeer) }))
	// changes counts every change, also those beyond the first ones that the result keeps with their times.
	r.number(f["changes"], counted, "", of(func(d *negotiated) int64 { return d.Changed }))
	r.number(f["sent"], counted, "", of(func(d *negotiated) int64 { return d.Sent }))
	r.number(f["heard"], counted, "", of(func(d *negotiated) int64 { return d.Heard }))
}

// configuredDCBX returns the PFC of a port in the file, and its DCBX; nil: the port does not speak it.
func configuredDCBX(n *fabric.Network, at fabric.End) (pfc.Priorities, *fabric.DCBX) {
	if at.Switch {
		p := &n.Switches[at.Node].Ports[at.Port]
		return p.PFC, p.DCBX
	}
	return n.Hosts[at.Node].PFC, n.Hosts[at.Node].DCBX
}

// readShares reads what a port says of the shares of its link (ETS), and whether it takes over its neighbour's. What a
// switch's port says of itself is its scheduler. A host has none, and says of itself what it recommends.
func (r *reader) readShares(v *document.Value, d *fabric.DCBX, atSwitch bool) {
	f := v.Fields("willing", "recommend")
	s := &d.Settings
	s.WithoutETS, s.ETS.Willing = false, f["willing"].Boolean()
	// IEEE 802.1Qaz 38.4: a willing port takes the recommendation of its neighbour for its own transmission. A
	// simulated host transmits without queues, so it can recommend and cannot be willing.
	if !atSwitch {
		v.Need(f, "recommend")
		if s.ETS.Willing {
			f["willing"].Refuse("false: a host has no queues that share its link")
		}
	}
	if f["recommend"] == nil {
		return
	}
	schedule := r.readGroups(f["recommend"])
	// readGroups has complained.
	if schedule == nil {
		return
	}
	// The configuration that the frames carry beside it is the same table: a host has no other.
	s.Recommendation = &dcbx.ETSRecommendation{Table: schedule.Table()}
	s.ETS.Table = s.Recommendation.Table
}

// readGroups reads groups of classes, each with a part of the bandwidth or strict; nil if something is wrong. The place
// in the list is the number of the group, so of two strict groups the later one sends first. Bandwidths are whole
// percents whose sum ets.NewSchedule requires to be 100.
func (r *reader) readGroups(v *document.Value) *ets.Schedule {
	var groups []ets.Group
	var queues []ets.Queue
	before := v.Complaints()
	// An item that is wrong is read to its end, so that all mistakes of the table are reported.
	for number, x := range v.Items() {
		f := x.Fields("classes", "bandwidth", "strict")
		x.Need(f, "classes")
		g := ets.Group{Number: number, Selection: dcbx.Enhanced}
		if f["strict"].Boolean() {
			g.Selection = dcbx.Strict
		}
		// A group is strict or has a bandwidth; a group with both, or with neither, has no meaning in either version.
		if (f["bandwidth"] == nil) != (g.Selection == dcbx.Strict) {
			x.Refuse("a bandwidth, such as 40%, or strict: true")
		}
		if y := f["bandwidth"]; y != nil {
			share := document.Quantity(y, unit.ParsePercent)
			// The TLV holds whole percents (IEEE 802.1Qaz D.2.9.5), so a fraction would change on its way.
			if g.Bandwidth = int(share / unit.OnePercent); unit.Percent(g.Bandwidth)*unit.OnePercent != share {
				y.Refuse("whole percents: the TLVs have no others")
			}
		}
		for _, y := range f["classes"].Items() {
			if c := r.classOf(y); c >= 0 {
				queues = append(queues, ets.Queue{Priority: r.s.Classes[c].Priority, Group: number})
			}
		}
		groups = append(groups, g)
	}
	if len(groups) == 0 {
		v.Refuse("groups, such as {classes: [rdma], bandwidth: 60%}")
	}
	// The sum of the bandwidths is judged only where each of them could be read.
	if v.Complaints() != before {
		return nil
	}
	s, err := ets.NewSchedule(groups, queues)
	// Each of several complaints is one of the file, with the line of the list.
	for _, wrong := range fielderr.Split(err) {
		v.Fail(wrong.Error())
	}
	return s
}
