package method_test

import (
	"cmp"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// sonicCase is one input and what SONiC has for it.
type sonicCase struct {
	Chip           string
	Variant        string
	Rate           unit.BitRate
	Cable          unit.Length
	MTU            unit.Bytes
	LosslessMTU    unit.Bytes   `json:"lossless_mtu"`
	SmallPackets   unit.Percent `json:"small_packets"`
	Lanes          int
	Gearbox        unit.Time
	SharedHeadroom bool `json:"shared_headroom"`
	WithoutExtra   bool `json:"without_extra"`
	Corrected      bool

	XON, XOFF, Size unit.Bytes
}

func (c sonicCase) method(t require.TestingT) method.SONiC {
	chip, known := method.LookupSONiCChip(c.Chip)
	require.True(t, known, c.Chip)
	variant, err := method.ParseSONiCVariant(c.Variant)
	require.NoError(t, err)
	if c.WithoutExtra {
		chip.Extra = 0
	}
	// The plug-ins were run with the number of lanes, of which 8 alone matters.
	return method.SONiC{Chip: chip, Gearbox: c.Gearbox, Lanes: cmp.Or(c.Lanes, 4),
		SmallPackets:   unit.Given(c.SmallPackets),
		SharedHeadroom: c.SharedHeadroom, Variant: variant, Corrected: c.Corrected, Exact: !c.Corrected}
}

func (c sonicCase) link() thresholds.Link {
	return thresholds.Link{Rate: c.Rate, Cable: c.Cable, MTU: c.MTU, LosslessMTU: c.LosslessMTU}
}

func readSONiC(t *testing.T, name string, into any) {
	text, err := os.ReadFile("testdata/sonic/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

func sonicVectors(t *testing.T) []sonicCase {
	var file struct{ Vectors []sonicCase }
	readSONiC(t, "vectors.json", &file)
	require.Len(t, file.Vectors, 60)
	return file.Vectors
}

// The expected values are the output of the plug-ins themselves.
func TestSONiCEqualsThePlugIns(t *testing.T) {
	for _, c := range sonicVectors(t) {
		m := c.method(t)
		h, err := m.Size(c.link(), thresholds.Memory{Cell: m.Chip.Cell})
		require.NoError(t, err)
		require.Equal(t, [3]unit.Bytes{c.XON, c.XOFF, c.Size}, [3]unit.Bytes{h.XON, h.XOFF, h.Size}, "%+v", c)
		require.Equal(t, m.Chip.Cell.Holding(c.XOFF), h.Cells)
	}
}

type sonicTable struct {
	sonicCase
	Name string
	Rows []sonicCase
}

// Every row of these tables has the XOFF of the formula. XON and Size are counted as well. In SN5600 three sizes lie 1
// KiB under the sum of the row's own XON, XOFF and port MTU. SN6600 adds XOFF to Size but has neither the compensation
// nor the extra, which came later; the formula leaves out the compensation only where Size is XON alone.
func TestSONiCEqualsTables(t *testing.T) {
	var file struct{ Tables []sonicTable }
	readSONiC(t, "tables.json", &file)
	want := map[string][4]int{ // rows, and of them XOFF, XON, Size
		"SN2700": {15, 15, 15, 15}, "SN3800": {15, 15, 15, 15}, "SN4700": {21, 21, 21, 21}, "SN5600": {24, 24, 24, 21},
		"SN5640": {36, 36, 36, 36}, "SN6600": {14, 14, 14, 0},
	}
	got := map[string][4]int{}
	for _, table := range file.Tables {
		got[table.Name] = countSONiC(t, table)
	}
	require.Equal(t, want, got)
}

func countSONiC(t *testing.T, table sonicTable) (n [4]int) {
	for _, row := range table.Rows {
		c := table.sonicCase
		c.Rate, c.Cable, c.Lanes = row.Rate, row.Cable, row.Lanes
		m := c.method(t)
		h, err := m.Size(c.link(), thresholds.Memory{Cell: m.Chip.Cell})
		require.NoError(t, err)
		for i, same := range []bool{true, h.XOFF == row.XOFF, h.XON == row.XON, h.Size == row.Size} {
			if same {
				n[i]++
			}
		}
	}
	return n
}

// The evidence for 1810 quanta at 800G: with 905 the table of the SN6600 loses its three rows of 800G, and no others.
func TestSONiCTablesNeedTwiceTheQuantaAt800G(t *testing.T) {
	var file struct{ Tables []sonicTable }
	readSONiC(t, "tables.json", &file)
	table := file.Tables[len(file.Tables)-1]
	require.Equal(t, "SN6600", table.Name)
	require.True(t, table.Corrected)
	table.Corrected = false
	require.Equal(t, 11, countSONiC(t, table)[1])
}
