package buffer_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// credited is a switch whose class rdma has credits.
func credited(t *testing.T, cable unit.Length, ports int) buffer.Intent {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{Mix: thresholds.Frames(4096)}, Classes: []buffer.Class{
		{Name: "rdma", Priorities: []int{3, 4}, Credits: true, MTU: 4096}, {Name: "default", Priorities: []int{0}}}}
	for i := range ports {
		in.Ports = append(in.Ports, buffer.Port{Name: "Ethernet" + string(rune('A'+i)), Rate: 400 * unit.Gbps, Cable: cable,
			MTU: 9216})
	}
	return in
}

// Credits are reserved cells, as many as keep the link full, in a group for each
// priority; nothing of it is headroom.
func TestCreditsAreReservedCells(t *testing.T) {
	in := credited(t, 300*unit.Metre, 2)
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, p.Fits)
	require.Equal(t, 4, p.CreditGroups)
	require.Zero(t, p.LosslessGroups)
	full, err := cbfc.Size(cbfc.Channel{Link: in.Ports[0].Link(4096), Memory: in.Chip.Memory(), Frame: 4096})
	require.NoError(t, err)
	rows := 0
	for _, g := range p.Groups {
		if g.Class == "rdma" {
			rows++
			require.True(t, g.Credits)
			require.Equal(t, full.Cells, g.Reserved)
			require.Zero(t, g.Headroom)
		}
	}
	require.Equal(t, 4, rows)
	groups, err := in.CreditGroups(0)
	require.NoError(t, err)
	require.Equal(t, []buffer.CreditGroup{{Group: 3, Class: "rdma", Cells: full.Cells, FullRate: full.Cells},
		{Group: 4, Class: "rdma", Cells: full.Cells, FullRate: full.Cells}}, groups)
	what, needed := in.NotWritten()
	require.True(t, needed)
	require.Equal(t, "credits (CBFC) of rdma, with their virtual channels", what)
}

// Credits that do not fit are refused as headroom is, with what is short; the
// ports before stay.
func TestCreditsAreRefusedLikeHeadroom(t *testing.T) {
	p, err := buffer.New(credited(t, 60*unit.Kilometre, 3))
	require.NoError(t, err)
	require.False(t, p.Fits)
	require.NotEmpty(t, p.Refusals)
	require.Positive(t, p.Refusals[0].Short)
	require.Contains(t, p.Refusals[0].Message, "ingress buffer allocation failed for interface Ethernet")
}

// Fewer credits than the link needs lose nothing, and the plan says that the link
// is slower; with the shared credits of the port it may be full.
func TestPlanSaysWhetherCreditsAreEnough(t *testing.T) {
	in := credited(t, 300*unit.Metre, 1)
	in.Classes[0].Reserved = unit.Given(in.Chip.Cell.Bytes(100))
	warnings := func() string {
		p, err := buffer.New(in)
		require.NoError(t, err)
		return string(bytes.Join([][]byte{[]byte(p.Warnings[0]), []byte(p.Warnings[1])}, nil))
	}
	require.Contains(t, warnings(), "100 credits of a cell each (CBFC), fewer than the")
	in.Ports[0].Reserved = in.Chip.Cell.Bytes(5000)
	require.Contains(t, warnings(), "the link is full with the 5000 shared credits of the port")
	in.Ports[0].Rate, in.Ports[0].Reserved = 56*unit.Gbps, 0
	require.Contains(t, warnings(), "how many keep the link full is not known")
	in.Classes[0].Reserved = unit.Optional[unit.Bytes]{}
	_, err := buffer.New(in)
	require.ErrorContains(t, err, "class rdma: credits: no source gives")
	in = credited(t, 0, 1)
	in.Classes[0].Reserved = unit.Given(in.Chip.Cell.Bytes(cells.Count(cbfc.MaxLimit) + 1))
	_, err = buffer.New(in)
	require.ErrorContains(t, err, "1048576 credits: accepted: at most the 1048575")
}

func TestCreditsRefused(t *testing.T) {
	for want, change := range map[string]func(*buffer.Class){
		"lossless: pfc and cbfc": func(c *buffer.Class) { c.Lossless = true },
		"group: ":                func(c *buffer.Class) { c.Group = unit.Given(3) },
		"xon_offset: 0B":         func(c *buffer.Class) { c.XONOffset = unit.Given[unit.Bytes](0) },
		"static_limit: 254B":     func(c *buffer.Class) { c.StaticLimit = 254 },
		"alpha: 1":               func(c *buffer.Class) { c.Alpha = new(thresholds.Alpha) },
	} {
		in := credited(t, 0, 1)
		change(&in.Classes[0])
		require.ErrorContains(t, in.Validate(), want)
	}
}

func TestCreditsInJSON(t *testing.T) {
	in := credited(t, unit.Kilometre, 1)
	data, err := json.Marshal(in)
	require.NoError(t, err)
	require.Contains(t, string(data), `"credits":true`)
	var again buffer.Intent
	require.NoError(t, json.Unmarshal(data, &again))
	require.True(t, again.Classes[0].Credits)
}

// A port has credits in place of pauses for its lossless classes; the other ports
// of the switch still pause.
func TestOnePortHasCredits(t *testing.T) {
	in := credited(t, 300*unit.Metre, 2)
	in.Classes[0].Credits, in.Classes[0].Lossless = false, true
	in.Ports[1].Credits = true
	p, err := buffer.New(in)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2}, []int{p.LosslessGroups, p.CreditGroups})
	for _, g := range p.Groups {
		if g.Class == "rdma" {
			require.Equal(t, g.Port == in.Ports[0].Name, g.Lossless)
			require.Equal(t, !g.Lossless, g.Credits)
			require.Equal(t, g.Lossless, g.Headroom > 0)
		}
	}
	for _, s := range p.Layout() {
		require.False(t, s.Kind == buffer.GroupLossless && s.Port == in.Ports[1].Name, "PFC is off on it")
	}
	_, needed := in.NotWritten()
	require.True(t, needed)
	data, err := json.Marshal(in)
	require.NoError(t, err)
	var again buffer.Intent
	require.NoError(t, json.Unmarshal(data, &again))
	require.True(t, again.Ports[1].Credits)
}
