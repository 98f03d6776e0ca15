package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
)

// TestSlack counts what is left by each of the three ways. The pools of Tomahawk 5 are those of a folder with 64 ports
// before and after sonic-buildimage 5aa06359a1db (pull request 25560), here with four ports: 60 x 14 cells more.
func TestSlack(t *testing.T) {
	th5 := []string{"DEVICE_METADATA|localhost|platform=x86_64-arista_7060x6_64pe_b",
		"DEVICE_METADATA|localhost|hwsku=Mine"}
	lossy := []string{"DEVICE_METADATA|localhost|platform=x86_64-arista_7060x6_64pe",
		"DEVICE_METADATA|localhost|hwsku=Arista-7060X6-64PE-C256S2"}
	lossyB := []string{"DEVICE_METADATA|localhost|platform=x86_64-arista_7060x6_64pe_b",
		"DEVICE_METADATA|localhost|hwsku=Arista-7060X6-64PE-B-C512S2"}
	for _, c := range []struct {
		edits []string
		says  string // left, one more port, 10 m more
	}{
		{nil, "1941 12 0 the plan: the fullest slice"}, // two groups of 1,248 bytes in cells of 208
		{[]string{"BUFFER_POOL|ingress_lossless_pool|size"}, "nothing"},
		{slices.Concat(spectrum3, []string{"BUFFER_POOL|ingress_lossless_pool|size=59072512",
			"BUFFER_POOL|ingress_lossless_pool|xoff=1048576"}), "0 754 35 NVIDIA's sum of all ports: shared headroom"},
		{slices.Concat(spectrum3, []string{"BUFFER_POOL|ingress_lossless_pool|size=59289600",
			"BUFFER_POOL|ingress_lossless_pool|xoff=1048576"}), "-1507 754 35 NVIDIA's sum of all ports: shared headroom"},
		{slices.Concat(th5, []string{fmt.Sprintf("BUFFER_POOL|ingress_lossless_pool|size=%d", 164302948+60*14*254)}),
			"847 7 - the base of the platform's other folders"},
		{slices.Concat(th5, []string{fmt.Sprintf("BUFFER_POOL|ingress_lossless_pool|size=%d", 164733224+60*14*254)}),
			"0 7 - the base of the platform's other folders"},
		// What sonic-buildimage ships, and what pull request 24750 makes of it.
		{slices.Concat(lossy, []string{"BUFFER_POOL|ingress_lossless_pool|size=166607744"}),
			"-608 - - sonic-buildimage pull request 24750, SAI 13.2.1.21"},
		{slices.Concat(lossy, []string{"BUFFER_POOL|ingress_lossless_pool|size=166298880"}),
			"0 - - sonic-buildimage pull request 24750, SAI 13.2.1.21"},
		// What sonic-buildimage shipped before pull request 25559, and what it ships since.
		{slices.Concat(lossyB, []string{"BUFFER_POOL|ingress_lossless_pool|size=163593526"}),
			"3429 - - sonic-buildimage pull request 25559, SAI 14.1"},
		{slices.Concat(lossyB, []string{"BUFFER_POOL|ingress_lossless_pool|size=165335712"}),
			"0 - - sonic-buildimage pull request 25559, SAI 14.1"},
	} {
		d := base()
		d.set(t, c.edits...)
		r := audit.Run(d.source(t, lookup))
		w := r.What()
		r.Slack(&w)
		got := "nothing"
		if s := w.Slack; s != nil {
			got = fmt.Sprintf("%d %s %s %s", s.Left, number(s.Port), number(s.TenMetres), s.By)
		}
		require.Equal(t, c.says, got, "%v", c.edits)
	}
}

// number prints a number, or that it is not known.
func number(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}
