package audit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
)

// TestChipsWithSeveralSources decides only what all sources of the chip's memory agree on. The pools include their
// xoff.
func TestChipsWithSeveralSources(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		chip, size string
		slices     int
		fits       *bool
		says       string
	}{
		{"tomahawk4", "100000000", 2, &yes, "sources give tomahawk4 462892 to 469212 cells (the larger of two sources, " +
			"FBOSS Tomahawk4Asic.h): the bill is that of the smallest, so all ports fit by every source"},
		{"tomahawk4", "118000000", 2, nil, "whether all ports fit is not known: sources give tomahawk4 462892 to 469212 " +
			"cells"},
		{"tomahawk4", "120000000", 2, &no, "the bill is that of the largest, so not all ports fit by any source"},
		{"tomahawk6", "150000000", 1, &yes, "sources give tomahawk6 500000 to 666595 cells"},
		{"tomahawk6", "257154240", 1, nil, "and they fit into the largest alone"},
		{"tomahawk6", "290000000", 1, &no, "so not all ports fit by any source"},
	} {
		d := base()
		d.set(t, "BUFFER_POOL|ingress_lossless_pool|size="+c.size)
		s := d.source(t, lookup)
		s.Chip = audit.Catalogued(c.chip, "--chip")
		w := audit.Run(s).What()
		require.Equal(t, c.fits, w.Fits, "%s %s", c.chip, c.size)
		require.Len(t, w.Slices, c.slices)
		if c.fits == nil || *c.fits {
			require.Positive(t, w.Slices[0].Headroom)
		}
		require.Contains(t, strings.Join(append(w.Assumed, w.Unknown...), "\n"), c.says)
	}
}
