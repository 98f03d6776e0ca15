package linkcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// cee returns an end that sends CEE's TLV with PFC.
func cee(t *testing.T, name string, willing bool, enabled ...int) linkcheck.End {
	t.Helper()
	c := dcbx.CEE{Control: &dcbx.Control{Sequence: 1}, PFC: &dcbx.CEEPFC{
		Feature: dcbx.Feature{Enabled: true, Willing: willing}, Priorities: pfc.Of(enabled...), Classes: 8}}
	tlv, err := c.TLV()
	require.NoError(t, err)
	return sends(name, tlv)
}

// sends returns an end that sends TLVs.
func sends(name string, tlvs ...dcbx.TLV) linkcheck.End {
	return linkcheck.FromPDU(name, pfc.Address{2, 0, 0, 0, 0, name[0]},
		&dcbx.PDU{TLVs: append(dcbx.Mandatory(dcbx.Neighbour{
			Chassis: dcbx.ID{Subtype: 7, Value: name}, Port: dcbx.ID{Subtype: 5, Value: "p"}}, dcbx.TimeToLive), tlvs...)})
}

// wrong returns pairs of ends that together have every kind of finding, each also without pauses where that is another
// case.
func wrong(t *testing.T) (pairs [][2]linkcheck.End) {
	add := func(a, b linkcheck.End) { pairs = append(pairs, [2]linkcheck.End{a, b}) }
	measured := func(e linkcheck.End, ns unit.Time) linkcheck.End {
		e.Measured = thresholds.Measurement{RoundTrip: ns * unit.Nanosecond, Source: "ptp", Date: "2026-01-01"}
		return e
	}
	for _, of := range []func(name string) linkcheck.End{
		func(name string) linkcheck.End { return end(name, 3) },
		func(name string) linkcheck.End { return counting(name, 3) },
		func(name string) linkcheck.End { return end(name) }, // nothing lossless
	} {
		for _, change := range []func(e *linkcheck.End){
			func(e *linkcheck.End) { e.PFC = unit.Given(pfc.Of(4)) },
			func(e *linkcheck.End) { e.PFC = unit.Given(pfc.Of()) },
			func(e *linkcheck.End) { e.Credits = unit.Given(pfc.Of(3, 4)) },
			func(e *linkcheck.End) { e.Account.Credit = 208 },
			func(e *linkcheck.End) { e.Capability = unit.Given(0) },
			func(e *linkcheck.End) { e.Trust = pg.TrustPCP },
			func(e *linkcheck.End) { e.MaxFrame = unit.Given[unit.Bytes](1518) },
			func(e *linkcheck.End) { e.Rate = unit.Given(25 * unit.Gbps) },
			func(e *linkcheck.End) { e.Cable = unit.Given(3 * unit.Metre) },
			func(e *linkcheck.End) {
				if e.Frames[3] > 0 {
					e.Frames[3] = 9000
				}
			},
			func(e *linkcheck.End) { e.Neighbours = 3 },
			func(e *linkcheck.End) {
				s, _ := e.Shares.Get()
				s.Weight[3] = 20
				e.Shares = unit.Given(s)
			},
			func(e *linkcheck.End) {
				s, _ := e.Shares.Get()
				s.Strict[6] = false
				e.Shares = unit.Given(s)
			},
		} {
			a, b := of("a"), of("b")
			change(&b)
			add(a, b)
		}
		add(measured(of("a"), 3000), measured(of("b"), 4000))
	}
	flow := func(p ...int) dcbx.PFC { return dcbx.PFC{Capability: 8, Enabled: pfc.Of(p...)} }
	other, many := groups, groups
	other.Class[4], many.Class[4] = 1, 4
	few := adv(t, "b", 2, false, flow(3), many)
	few.Classes = unit.Given(2)
	add(adv(t, "a", 1, false, flow(3), groups), adv(t, "b", 2, false, flow(3), other))
	add(adv(t, "a", 1, false, flow(3), groups), few)
	add(adv(t, "a", 1, true, flow(3), groups), adv(t, "b", 2, true, flow(4), groups))
	add(cee(t, "a", true, 3), cee(t, "b", true, 3))
	add(cee(t, "a", false, 3), cee(t, "b", false, 4))
	add(adv(t, "a", 1, false, flow(3), groups), cee(t, "b", false, 3))
	several := cee(t, "b", false, 3)
	several.Neighbours = 3
	add(cee(t, "a", false, 3), several)
	add(adv(t, "a", 1, false, flow(3), groups),
		sends("b", dcbx.TLV{Type: 127, Value: []byte{0, 0x80, 0xc2, 11, 8}}))
	app := func(name string, priority uint8) linkcheck.End {
		x := dcbx.Application{Assignments: []dcbx.Assignment{{Priority: priority, Selector: dcbx.ByUDP, Protocol: 4791}}}
		one, err := x.TLV()
		require.NoError(t, err)
		f := flow(3)
		two, err := f.TLV()
		require.NoError(t, err)
		return sends(name, two, one)
	}
	add(app("a", 3), app("b", 4))
	channel := func(name string, number int, reserved cbfc.Credits) linkcheck.End {
		e := counting(name, 3)
		e.Channels = linkcheck.Channels{List: []buffer.VirtualChannel{{Number: number, Traffic: cbfc.Traffic(3)}},
			Pool: cbfc.Pool{Size: reserved, Profiles: []cbfc.Profile{{Reserved: reserved}}}}
		return e
	}
	add(channel("a", 3, 100), channel("b", 12, 100))
	add(channel("a", 3, 100), channel("b", 3, 50))
	return pairs
}

// Every finding has a code of the registry, a severity of the code, and what the code says shows it. A finding that
// nothing shows has a code that says why. Every code is found, and everything that a code is shown by is used.
func TestCodes(t *testing.T) {
	codes := map[finding.Code]finding.Meaning{}
	for _, m := range linkcheck.Codes().All() {
		require.NotContains(t, codes, m.Code)
		require.True(t, len(m.Shown) > 0 || m.NotShown != "", m.Code)
		require.NotEmpty(t, m.Rule)
		require.NotEmpty(t, m.Effect)
		require.NotEmpty(t, m.Repair)
		codes[m.Code] = m
	}
	used := map[finding.Code]map[string]bool{}
	for _, pair := range wrong(t) {
		for _, r := range []linkcheck.Result{linkcheck.Compare(&pair[0], &pair[1]), linkcheck.Compare(&pair[1], &pair[0])} {
			for _, f := range r.Findings {
				m, ok := codes[f.Code]
				require.True(t, ok, f.Code)
				require.Contains(t, []finding.Severity{m.Severity, m.Milder}, f.Severity, f.Code)
				require.Contains(t, f.Message, "a", f.Code)
				require.NotEmpty(t, f.Effect, f.Code)
				require.NotEmpty(t, f.Repair, f.Code)
				if f.Shown == "" {
					require.NotEmpty(t, m.NotShown, "%s: nothing shows it, and nothing says why", f.Code)
				} else {
					require.Contains(t, m.Shown, f.Shown, f.Code)
				}
				if used[f.Code] == nil {
					used[f.Code] = map[string]bool{}
				}
				used[f.Code][f.Shown] = true
			}
		}
	}
	for code, m := range codes {
		for _, shown := range m.Shown {
			require.True(t, used[code][shown], "%s is never shown by %s", code, shown)
		}
		require.Equal(t, m.NotShown != "", used[code][""], "%s, without anything that shows it", code)
	}
}
