package scenario

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

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
