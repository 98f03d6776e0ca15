package method_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Every method either contains the response time that is given for a link's
// sender, or warns that it does not. The same holds for the delay of MACsec.
func TestWhatIsGivenForALinkIsUsedOrNamed(t *testing.T) {
	spectrum, _ := method.LookupSONiCChip("spectrum-3")
	rows, err := table.Read("t.ini", strings.NewReader("100000 300m 1248 2288 268736 0 2288\n"))
	require.NoError(t, err)
	mem := thresholds.Memory{Cell: 208, Overhead: 64}
	for name, c := range map[string]struct {
		sizer            thresholds.Sizer
		response, macsec bool // are in the sum
	}{
		"ieee":                       {thresholds.IEEE{}, true, true},
		"both ends":                  {sized(thresholds.Delays{Sum: thresholds.SumOfEnds}), true, true},
		"ieee, its own response":     {sized(thresholds.Delays{EveryResponse: unit.Given(unit.Microsecond)}), true, true},
		"juniper":                    {method.Juniper{}, true, true},
		"sonic":                      {method.SONiC{Chip: spectrum}, true, true},
		"sonic, older":               {method.SONiC{Chip: spectrum, Variant: method.SONiCOlder}, true, true},
		"broadcom-delay":             {method.BroadcomDelay{}, true, true},
		"broadcom-delay, user delay": {method.BroadcomDelay{UserDelay: unit.Given(unit.Microsecond)}, false, true},
		"broadcom-th3":               {method.BroadcomTH3{}, true, true},
		"mlxsw":                      {method.MLXSW{}, true, true},
		"mlxsw, pfc delay":           {method.MLXSW{DelayBytes: unit.Given[unit.Bytes](5000)}, false, false},
		"mlx5":                       {method.MLX5{}, false, true},
		"cisco-practical":            {method.CiscoPractical{}, false, true},
		"table":                      {rows, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			at := func(change func(*thresholds.Link)) (thresholds.Explanation, string) {
				l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
				change(&l)
				e, err := c.sizer.Explain(l, mem)
				require.NoError(t, err)
				h, err := c.sizer.Size(l, mem)
				require.NoError(t, err)
				require.Equal(t, e.Headroom, h)
				return e, strings.Join(e.Warnings, "\n")
			}
			plain, _ := at(func(*thresholds.Link) {})
			slow, said := at(func(l *thresholds.Link) { l.Response = unit.Given(9 * unit.Microsecond) })
			if c.response {
				none, _ := at(func(l *thresholds.Link) { l.Response = unit.Given(unit.Time(0)) })
				require.Greater(t, slow.Cells, plain.Cells)
				require.LessOrEqual(t, none.Cells, plain.Cells, "0 is given, not absent")
				require.GreaterOrEqual(t, int64(slow.XOFF-none.XOFF), int64(9*100_000/8), "9 us at 100G")
				require.NotContains(t, said, "is not used")
			} else {
				require.Equal(t, plain.Cells, slow.Cells)
				require.Contains(t, said, "the response time 9us of the link's sender is not used: ")
			}
			secure, said := at(func(l *thresholds.Link) { l.MACsec = true })
			extra, _ := at(func(l *thresholds.Link) { l.Extra = thresholds.MACsecDelay })
			require.Equal(t, extra.Cells, secure.Cells, "MACsec is an extra delay of 1 us each way")
			if c.macsec {
				require.GreaterOrEqual(t, int64(secure.XOFF-plain.XOFF), int64(2*12_500))
				require.Contains(t, text(secure.Terms), "1us of MACsec (the limit of SONiC's MACsec design, 3.5.1)")
			} else {
				require.Equal(t, plain.Cells, secure.Cells)
				require.Contains(t, said, "is not used")
			}
		})
	}
}

func sized(d thresholds.Delays) thresholds.Sizer { return thresholds.IEEE{Delays: d} }

// text is the sources of terms and their parts.
func text(terms []thresholds.Term) (out string) {
	for _, t := range terms {
		out += t.Source + "\n" + text(t.Terms)
	}
	return out
}

// A response time that no link has is refused.
func TestResponseOfALinkHasLimits(t *testing.T) {
	l := thresholds.Link{Rate: 100 * unit.Gbps, MTU: 9216, LosslessMTU: 4096}
	l.Response = unit.Given(2 * thresholds.MaxDelay)
	require.ErrorContains(t, l.Validate(), "response time 20ms is not between 0ps and 10ms")
	l.Response = unit.Given(unit.Time(-1))
	require.ErrorContains(t, l.Validate(), "response time")
}
