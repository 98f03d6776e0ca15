package sonic

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// notes are what the operator has to know before using the rendering.
func (w *writer) notes(o Options) []string {
	u := o.updater(w.plan)
	out := []string{
		"what the updater takes is reckoned for " + u.text(),
		"the updater takes a port down while it changes its groups, queues or PFC (BUFFER_PG, BUFFER_QUEUE, QUEUE, " +
			"PORT_QOS_MAP), and up again",
		"the updater knows a chip by the HwSKU of the switch: one that is not in its lists has no chip, and it " +
			"refuses fields of profiles",
		"TC_TO_PRIORITY_GROUP_MAP takes a traffic class to be a priority, and queue n to be that of priority n: the " +
			"switch's TC_TO_QUEUE_MAP has to agree",
	}
	if w.plan.Intent.DSCP == (pg.DSCPMap{}) {
		out = append(out, "the plan does not say which DSCPs are of which priority: the switch's DSCP_TO_TC_MAP has to")
	} else if w.now == nil {
		out = append(out,
			"DSCPs that the plan does not name are left out of the map, which makes them traffic class 0; with what "+
				"the switch has (cellwarden render --current) they stay as they are")
	}
	if w.now == nil {
		out = append(out,
			"the patch adds entries to tables and fields to PORT_QOS_MAP and QUEUE that the switch must have "+
				"already; everything else of theirs stays")
		out = append(out,
			"what the switch has is not known (cellwarden render --current): of what it has already, the updater "+
				"takes fewer changes than it takes of what is new; and the egress profiles of lossless queues stay "+
				"as they are")
	}
	if w.now["DEVICE_METADATA"]["localhost"]["buffer_model"] == "dynamic" {
		out = append(out,
			"the switch computes its buffers itself (buffer_model dynamic): it sizes its pools and headroom by its "+
				"own formula, and profiles beside it override that for the groups that they are bound to")
	}
	if w.plan.Intent.Pool.Size == 0 {
		out = append(out,
			"the size of "+pool+" is the shared cells alone: on chips where SONiC's size includes the headroom, add "+
				"it (size_includes_headroom, with the pool's size, in the topology)")
	}
	if len(w.unknownPorts) > 0 && w.now != nil {
		out = append(out, "the switch has no ports "+buffer.FoldPorts(w.unknownPorts))
	} else if len(w.unknownPorts) > 0 {
		out = append(out,
			"SONiC calls its ports Ethernet0, Ethernet4 and so on: it has none of the names "+
				buffer.FoldPorts(w.unknownPorts))
	}
	if len(w.several) > 0 {
		out = append(out,
			"SONiC's buffer manager binds all lossless groups of a port to one profile when the port's speed or "+
				"cable changes, or at a restart, if it has a row for them; the plan has several for "+
				buffer.FoldPorts(w.several))
	}
	if w.rounded {
		out = append(out, "a marking probability is a whole percent: it was rounded to the nearest")
	}
	if w.outside {
		out = append(out, fmt.Sprintf("dynamic_th is %d to %d: an alpha outside was moved to the nearest", leastTh,
			mostTh))
	}
	return out
}

// text names the chip and the release, or says that they are not known.
func (u updater) text() string {
	asic, of := u.asic, u.release.String()
	if asic == "" {
		asic = "a chip that is not known (--sonic-asic)"
	}
	if u.release == 0 {
		of = "a release that is not known (--sonic-release)"
	}
	return asic + " and " + of
}
