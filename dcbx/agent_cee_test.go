package dcbx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// cee returns the settings of a port that speaks CEE alone.
func cee(number byte, willing bool, enabled ...int) dcbx.Settings {
	s := port(number, willing, enabled...)
	s.Mode = dcbx.OnlyCEE
	return s
}

// CEE comes to one PFC, or turns PFC off: where both ends are willing, or none is, they have to be equal already.
func TestCEEByWilling(t *testing.T) {
	for _, c := range []struct {
		a, b   bool // willing
		pa, pb int
		want   pfc.Priorities // in force at both; none: PFC is off
		whyA   dcbx.Reason
	}{
		{false, false, 3, 3, pfc.Of(3), dcbx.BothSame},
		{true, true, 3, 3, pfc.Of(3), dcbx.BothSame},
		{true, false, 3, 4, pfc.Of(4), dcbx.PeerDecides},
		{false, true, 3, 4, pfc.Of(3), dcbx.PeerWilling},
		{false, false, 3, 4, 0, dcbx.BothDiffer},
		{true, true, 3, 4, 0, dcbx.BothDiffer},
	} {
		l := connect(t, cee(1, c.a, c.pa), cee(2, c.b, c.pb)).run(20 * unit.Second)
		a, b := l.in(0), l.in(1)
		require.Equal(
			t,
			[]any{c.want, c.want, c.whyA, dcbx.CEEVersion},
			[]any{a.Enabled, b.Enabled, a.PFC.Reason, a.Version},
			"%+v",
			c,
		)
		require.Equal(t, c.want != 0, a.PFC.Active)
		require.True(t, a.ETS.Active, "bandwidths may differ")
	}
}

// sent returns what the CEE TLV of the port's next frame says.
func sent(t *testing.T, l *link, i int) *dcbx.CEE {
	t.Helper()
	f, err := l.agents[i].Send(l.now)
	require.NoError(t, err)
	return dcbx.Read(&f.PDU).CEE
}

// Messages are numbered and acknowledged. An error has a number of its own, so that the neighbour acknowledges it.
func TestCEESequence(t *testing.T) {
	l := connect(t, cee(1, false, 3), cee(2, false, 3))
	require.Equal(t, &dcbx.Control{Sequence: 1}, sent(t, l, 0).Control)
	l.run(20 * unit.Second)
	require.Equal(t, &dcbx.Control{Sequence: 1, Acknowledged: 1}, sent(t, l, 0).Control)

	l = connect(t, cee(1, false, 3), cee(2, false, 4)).run(20 * unit.Second)
	for i := range 2 {
		got := sent(t, l, i)
		require.Equal(t, &dcbx.Control{Sequence: 2, Acknowledged: 2}, got.Control)
		require.True(t, got.PFC.Error)
		require.False(t, got.Groups.Error)
	}
	// The operator mends one end: the error ends at both, under new numbers.
	require.NoError(t, l.agents[1].Set(l.now, cee(2, false, 3)))
	l.run(40 * unit.Second)
	for i := range 2 {
		got := sent(t, l, i)
		require.False(t, got.PFC.Error)
		require.Equal(t, got.Control.Sequence, sent(t, l, 1-i).Control.Acknowledged)
		require.Equal(t, pfc.Of(3), l.in(i).Enabled)
	}
}

// While a change is not acknowledged, what was in force stays, and the change is not used.
func TestCEEWaitsForAcknowledgement(t *testing.T) {
	l := connect(t, cee(1, false, 3), cee(2, true, 3)).run(20 * unit.Second)
	l.down[0], l.down[1] = true, true
	require.NoError(t, l.agents[0].Set(l.now, cee(1, false, 4)))
	require.Equal(t, dcbx.NotSynced, l.in(0).PFC.Reason)
	require.True(t, l.in(0).PFC.Active)
	l.down[0], l.down[1] = false, false
	l.run(40 * unit.Second)
	require.Equal(t, []any{pfc.Of(4), pfc.Of(4), dcbx.PeerWilling}, []any{l.in(0).Enabled, l.in(1).Enabled,
		l.in(0).PFC.Reason})
}

// The settings as CEE has them: strict classes are group 15, protocols that CEE cannot name are left out, and those of
// several priorities are one.
func TestSettingsAsCEE(t *testing.T) {
	s := cee(1, false, 3)
	s.ETS.Class[7], s.ETS.Selection[2] = 2, dcbx.Strict
	s.Application.Assignments = []dcbx.Assignment{{Priority: 3, Selector: dcbx.ByEtherType, Protocol: 0x8906},
		{Priority: 4, Selector: dcbx.ByUDP, Protocol: 4791}, {Priority: 5, Selector: dcbx.ByUDP, Protocol: 4791},
		{Priority: 4, Selector: dcbx.ByDSCP, Protocol: 26}}
	got := sent(t, connect(t, s), 0)
	require.Equal(t, [8]uint8{0, 0, 0, 1, 0, 0, 0, dcbx.StrictGroup}, got.Groups.Group)
	require.Equal(t, [8]uint8{40, 60}, got.Groups.Bandwidth)
	intel := [3]byte{0, 0x1b, 0x21}
	require.Equal(t, []dcbx.CEEAssignment{{Protocol: 0x8906, OUI: intel, Priorities: pfc.Of(3)},
		{Protocol: 4791, Selector: 1, OUI: intel, Priorities: pfc.Of(4, 5)}}, got.Application.Assignments)
}

// A neighbour with groups that are reserved cannot be followed, and one with a later version is waited for.
func TestCEENeighbourThatCannotBeFollowed(t *testing.T) {
	for text, want := range map[string][2]dcbx.Reason{
		"fe2b 001b21 02 020a 0000 00000001 00000001 0411 0000 8000 90000000 6400000000000000 08 0606 0000 8000 18 08": {
			dcbx.Unsupported, dcbx.PeerDecides},
		"fe18 001b21 02 020a 0101 00000001 00000001 0606 0000 8000 18 08": {dcbx.VersionPending, dcbx.VersionPending},
		"fe18 001b21 02 020a 0000 00000001 00000001 0606 0000 a000 18 08": {dcbx.NotSent, dcbx.PeerError},
		"fe18 001b21 02 020a 0000 00000001 00000001 0606 0000 0000 18 08": {dcbx.NotSent, dcbx.Disabled},
		"fe0c 001b21 02 0606 0000 8000 18 08":                             {dcbx.NotSent, dcbx.NotSent},
	} {
		a, err := dcbx.NewAgent(cee(1, true, 3))
		require.NoError(t, err)
		f, err := dcbx.DecodeFrame(raw("0180c200000e 020000000009 88cc" + head + text + "0000"))
		require.NoError(t, err)
		_, err = a.Receive(0, &f)
		require.NoError(t, err)
		in := a.Operational()
		require.Equal(t, want, [2]dcbx.Reason{in.ETS.Reason, in.PFC.Reason}, text)
		require.Equal(t, port(1, true).ETS.Table, in.Table)
	}
}

// Features that a port does not know of the neighbour are in error, and the neighbour learns it.
func TestCEEFeatureThatIsNotSent(t *testing.T) {
	a, b := cee(1, false, 3), cee(2, false, 3)
	a.Application.Assignments = []dcbx.Assignment{{Priority: 3, Selector: dcbx.ByEtherType, Protocol: 0x8906}}
	l := connect(t, a, b).run(20 * unit.Second)
	require.True(t, sent(t, l, 0).Application.Error)
	require.Equal(t, pfc.Of(3), l.in(0).Enabled)
}
