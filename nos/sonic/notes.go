package sonic

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// notes are what the operator has to know before using the rendering.
func (w *writer) notes(o Options) []string {
	u := o.updater(w.plan)
	out := []string{
		"the changes that the updater accepts are computed for " + u.text() + ", by the rules of " + rules,
		"the updater shuts a port down while it changes the port's groups, queues or PFC (BUFFER_PG, BUFFER_QUEUE, QUEUE, " +
			"PORT_QOS_MAP)",
		"the updater recognises the chip by the HwSKU of the switch. It refuses changes of profile fields if the HwSKU is " +
			"not in its lists",
		"TC_TO_PRIORITY_GROUP_MAP assumes that traffic class n is priority n and uses queue n: the switch's " +
			"TC_TO_QUEUE_MAP must agree",
	}
	if w.plan.Intent.DSCP == (pg.DSCPMap{}) {
		out = append(out, "the plan assigns no DSCPs to priorities: the switch's DSCP_TO_TC_MAP must do this")
	} else if w.now == nil {
		out = append(out, "DSCPs that are not in the plan are left out of the map and become traffic class 0; with the "+
			"switch's configuration (cellwarden render --current) they keep their class")
	}
	if w.now == nil {
		out = append(out, "the patch adds entries to existing tables, and fields to existing entries of PORT_QOS_MAP and "+
			"QUEUE; all other entries and fields stay")
		out = append(out, "the switch's configuration is unknown (cellwarden render --current): the updater accepts fewer "+
			"changes of existing entries than of new ones; the egress profiles of lossless queues are not changed")
	}
	out = append(out, w.managerNotes()...)
	if w.manager.model != Dynamic && w.plan.Intent.Pool.Size == 0 {
		out = append(out, w.sizeNote())
	}
	if len(w.unknownPorts) > 0 && w.now != nil {
		out = append(out, "the switch has no ports "+buffer.FoldPorts(w.unknownPorts))
	} else if len(w.unknownPorts) > 0 {
		out = append(out, "SONiC names its ports Ethernet0, Ethernet4 and so on; these ports of the plan have other names: "+
			buffer.FoldPorts(w.unknownPorts))
	}
	if w.lossless() && len(w.now["PFC_WD"]) == 0 {
		out = append(out, "no PFC watchdog is written: PFC_WD has no entry whose times and action could be taken (pfcwd "+
			"start_default)")
	}
	if len(w.otherPools) > 0 {
		out = append(out, "lossy groups stay in "+strings.Join(w.otherPools, ", ")+", where the switch counts them: a plan "+
			"has one pool of the ingress, and this size is not changed")
	}
	if w.rounded {
		out = append(out, "a marking probability was rounded to the nearest whole percent")
	}
	if w.outside {
		out = append(out, fmt.Sprintf("dynamic_th is %d to %d: an alpha outside this range was replaced by the nearest one",
			leastTh, mostTh))
	}
	return out
}

// sizeNote says what the size of the pool is where the topology does not state one. A running switch gets the shared
// cells: a pool that is too small by its headroom wastes memory, and one that is too large does not fit in it.
func (w *writer) sizeNote() string {
	chip := audit.Result{Source: audit.Source{Chip: audit.Chip{Name: w.plan.Intent.Chip.Name}}}
	if _, err := asic.Load(chip.Source.Chip.Name); err != nil || !chip.PoolIncludes() {
		return "the size of " + pool + " covers only the shared cells: if SONiC's size includes the headroom on this chip, " +
			"set size_includes_headroom and the pool's size in the topology"
	}
	shared, _ := w.plan.Pools()
	return fmt.Sprintf("the size of %s, %d, covers only the shared cells, which is never too much for the memory; that "+
		"SONiC's size includes headroom and minima is inferred for %s, and render --hwsku writes %d. In the topology "+
		"pool.size, size_includes_headroom and size_includes_reserved decide for both", pool, shared, chip.Source.Chip.Name,
		w.plan.WithOwn())
}

// text names the chip and the release, or says that they are not known.
func (u updater) text() string {
	asic, of := cmp.Or(u.asic, "an unknown chip (--sonic-asic)"), u.release.String()
	if u.release == 0 {
		of = "an unknown release (--sonic-release)"
	}
	return asic + " and " + of
}
