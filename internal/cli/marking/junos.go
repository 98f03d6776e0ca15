package marking

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// This file reads --junos: the partitions of a Junos switch as the pool and the queue of the question.

// junosCell is the cell of a QFX3500: every size that its owner published is a whole number of them.
const junosCell = "208B"

// ofJunos sets the flags that --junos gives: the lossless partition of the ingress is the pool, and that of the egress
// the most that a lossless queue can have.
func (f *ecnFlags) ofJunos(cmd *cobra.Command) error {
	for _, name := range []string{"pool", "chip", "slices"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s (want it without --junos, which gives this value)", name)
		}
	}
	b, err := readJunos(f.junos)
	if err != nil {
		return fmt.Errorf("--junos %q: %w", f.junos, err)
	}
	// The partitions are in bytes; cells come later, as for any pool.
	f.pool = (b.Ingress() * unit.Bytes(b.Lossless) / unit.Bytes(unit.Whole)).String()
	f.notes = append(f.notes, fmt.Sprintf("Junos: the pool is %v of the ingress, %v of %v", b.Lossless, f.pool,
		b.Ingress()))
	if f.queueLimit == "" {
		f.queueLimit = (b.Egress() * unit.Bytes(b.EgressLossless) / unit.Bytes(unit.Whole)).String()
		f.notes = append(f.notes, fmt.Sprintf("assumed: a fill level is a share of the egress partition lossless, %v "+
			"of %v, %s; --queue-limit says another", b.EgressLossless, b.Egress(), f.queueLimit))
	}
	if f.cell == "" {
		f.cell = junosCell
	}
	return nil
}

// readJunos reads a switch and changes of its partitions: "qfx3500",
// "qfx3500,lossless=66%,lossless-headroom=24%,lossy=10%".
func readJunos(text string) (behaviour.JunosBuffer, error) {
	b := behaviour.QFX3500()
	parts := strings.Split(text, ",")
	if parts[0] != "qfx3500" {
		return b, fmt.Errorf("no switch %q (want qfx3500, the only one whose memory is published, and the keys "+
			"of another: qfx3500,memory=32MiB,ingress-dedicated=4MiB,egress-dedicated=4MiB)", parts[0])
	}
	var bad []error
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, "=")
		if size := map[string]*unit.Bytes{"memory": &b.Memory, "ingress-dedicated": &b.IngressDedicated,
			"egress-dedicated": &b.EgressDedicated}[name]; size != nil {
			n, err := unit.ParseBytes(value)
			*size, bad = n, append(bad, err)
			continue
		}
		share := map[string]*unit.Percent{"lossless": &b.Lossless, "lossless-headroom": &b.LosslessHeadroom,
			"lossy": &b.Lossy, "egress-lossless": &b.EgressLossless, "egress-multicast": &b.EgressMulticast,
			"egress-lossy": &b.EgressLossy}[name]
		if share == nil {
			bad = append(bad, fmt.Errorf("unknown key %q (want memory, ingress-dedicated, egress-dedicated, lossless, "+
				"lossless-headroom, lossy, egress-lossless, egress-multicast, egress-lossy)", name))
			continue
		}
		n, err := unit.ParsePercent(value)
		*share, bad = n, append(bad, err)
	}
	if err := errors.Join(bad...); err != nil {
		return b, err
	}
	return b, b.Validate()
}

// anyAlpha decides where Junos's default dynamic-threshold is needed and not given: the answer holds if it is the same
// for the smallest and the largest alpha, because a larger one never pauses earlier. Else --alpha is needed.
func anyAlpha(q *report.ECNQuestion) error {
	groups := q.Groups.Or(1)
	with := func(a thresholds.Alpha) ecn.Check { c := q.Check; c.Alpha = a; return c }
	least, most := with(thresholds.MinAlpha), with(thresholds.MaxAlpha)
	if least.MarksFirst(groups) == most.MarksFirst(groups) {
		q.Check, q.EveryAlpha = most, true
		return nil
	}
	for a := thresholds.MinAlpha; a < thresholds.MaxAlpha; a++ {
		if c := with(a); c.MarksFirst(groups) {
			return fmt.Errorf("--alpha: needed, because Junos's default dynamic-threshold was not found: the queue "+
				"marks first with an alpha of %v or more", a)
		}
	}
	return fmt.Errorf("--alpha: needed, because Junos's default dynamic-threshold was not found: the queue marks "+
		"first with an alpha of %v", thresholds.MaxAlpha)
}
