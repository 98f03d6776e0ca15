package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// Texts fold, numbers do not; what is still too wide continues below with the first column.
func TestFoldedTable(t *testing.T) {
	s := Section{Columns: []string{"port", "cells", "why"}}
	s.Row("Ethernet1", Count(123456), "the group needs more cells than the slice has left")
	s.Row("Ethernet2-4,Ethernet12-14", Count(7), "fits")
	s.Total = []any{"total", Count(123463), ""}
	print := func(width int) string {
		var b bytes.Buffer
		require.NoError(t, (&Screen{Sections: []Section{s}}).writeText(&b, surface{width: width}))
		return b.String()
	}
	require.Equal(t, `PORT             CELLS  WHY
Ethernet1      123,456  the group needs
                        more cells than
                        the slice has
                        left
Ethernet2-4,         7  fits
Ethernet12-14
total          123,463
`, print(42))
	parts := strings.Split(print(30), "\n\n")
	require.Len(t, parts, 2)
	require.Regexp(t, `^PORT +CELLS\n`, parts[0])
	require.Regexp(t, `^PORT +WHY\n`, parts[1])
	for line := range strings.Lines(print(30)) {
		require.LessOrEqual(t, len(line), 31, line)
	}
	require.NotContains(t, print(0), "the group needs\n")
}

func TestMegabytes(t *testing.T) {
	for bytes, want := range map[unit.Bytes]Number{0: "0.00", 1: "<0.01", 4_999: "<0.01", 5_000: "0.01",
		4_194_112: "4.19", 16_777_280: "16.78", 4_096_000_000: "4,096.00"} {
		require.Equal(t, want, Megabytes(bytes), bytes)
	}
	require.Equal(t, "21.49us", DrainText(268_736, 100*unit.Gbps))
	require.Equal(t, "-0.15us", DrainText(-475, 25*unit.Gbps), "a term of cisco-practical over a short cable")
}

// The width is that of COLUMNS, within bounds; else 100 where there is no terminal.
func TestSurface(t *testing.T) {
	for columns, want := range map[string]int{"": 100, "80": 80, "0": 100, "-1": 100, "x": 100, "7": 40, "99999": 10000} {
		t.Setenv("COLUMNS", columns)
		require.Equal(t, surface{width: want}, surfaceOf(&bytes.Buffer{}, nil), columns)
	}
}
