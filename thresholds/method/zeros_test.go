package method_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// A parameter that is given as zero is zero, and not what the method takes if nothing is given.
func TestAnExplicitZeroIsZero(t *testing.T) {
	link := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 9216}
	memory := thresholds.Memory{Cell: 144}
	for _, c := range []struct {
		method, chip, key, zero string
		rate                    unit.BitRate
		wire                    unit.Bytes // 0: not compared
		xoff                    unit.Bytes
	}{
		// SONiC's Lua gives 86,016 for it; half of the packets small would be 94,208.
		{"sonic-dynamic", "spectrum-3", "small_packets", "0%", 100 * unit.Gbps, 0, 86016},
		// Longest frame and nothing on the cable: 2 x 0 + C(9216).
		{"mlxsw", "spectrum-3", "pfc_delay", "0B", 100 * unit.Gbps, 9216, 64 * 144},
		// The longest packet alone.
		{"broadcom-delay", "tomahawk", "user_delay", "0ns", 100 * unit.Gbps, 9416, 66 * 144},
		{"cisco-practical", "", "from", "0m", 10 * unit.Gbps, 0, 83200 + 2*300*5*10/8},
		{"cisco-practical", "", "resume_threshold", "0B", 10 * unit.Gbps, 0, 83200 + 2*200*5*10/8},
	} {
		s, err := method.NewSizer(c.method, c.chip, method.Options{c.key: c.zero})
		require.NoError(t, err, c.key)
		link.Rate = c.rate
		h, err := s.Size(link, memory)
		require.NoError(t, err, c.key)
		require.Equal(t, c.xoff, h.XOFF, c.key)
		if c.wire != 0 {
			require.Equal(t, c.wire, h.Wire, c.key)
		}
	}
	link.Rate, link.Cable = 400*unit.Gbps, 40*unit.Metre
	for options, want := range map[[2]string]int64{
		{"response_delay", "0ns"}: 1291488, {"response_delay", "1ps"}: 1291489,
		{"interface_delay", "0ns"}: 1754848 - 2*491520, {"interface_delay", "1ps"}: 1754848 - 2*491520 + 2,
	} {
		s, err := method.NewSizer("ieee802.1qbb", "", method.Options{"delays": "texts", options[0]: options[1]})
		require.NoError(t, err)
		h, err := s.Size(link, memory)
		require.NoError(t, err)
		require.Equal(t, want, h.BitTimes, options)
	}
}

// A switch delay of zero is one that was given: there is nothing to warn of.
func TestASwitchDelayOfZeroIsGiven(t *testing.T) {
	link := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 9216}
	for zero, given := range map[string]method.Options{"given": {"switch_delay": "0ns"}, "absent": {}} {
		s, err := method.NewSizer("broadcom-delay", "tomahawk", given)
		require.NoError(t, err)
		e, err := s.Explain(link, thresholds.Memory{Cell: 208, Overhead: 64})
		require.NoError(t, err)
		require.Equal(t, zero == "absent", len(e.Warnings) == 1, e.Warnings)
		require.Equal(t, zero == "given", e.Terms[2].Kind == thresholds.Operator, e.Terms[2])
	}
}

// Zero is refused where there is no such thing.
func TestAnExplicitZeroIsRefused(t *testing.T) {
	for _, c := range [][3]string{
		{"juniper", "mru", "0B"}, {"broadcom-delay", "max_packet", "0B"}, {"mlxsw", "lanes", "0"},
		{"sonic-dynamic", "lanes", "0"}, {"cisco-practical", "buffer_size", "0B"}, {"ieee802.1qbb", "frame", "0B"},
		{"cisco-practical", "pause_threshold", "0B"},
	} {
		_, err := method.NewSizer(c[0], "spectrum-3", method.Options{c[1]: c[2]})
		require.Error(t, err, c)
	}
}

// A measured delay of zero replaces the cable in every method.
func TestAMeasuredDelayOfZeroIsMeasured(t *testing.T) {
	for _, name := range method.Methods() {
		if name == "table" {
			continue
		}
		s, err := method.NewSizer(name, "spectrum-3", nil)
		require.NoError(t, err)
		link := thresholds.Link{Rate: 100 * unit.Gbps, MTU: 9216, LosslessMTU: 9216}
		short, err := s.Size(link, thresholds.Memory{Cell: 144})
		require.NoError(t, err, name)
		link.Cable, link.Delay = 300*unit.Metre, unit.Given(unit.Time(0))
		measured, err := s.Size(link, thresholds.Memory{Cell: 144})
		require.NoError(t, err, name)
		require.Equal(t, short, measured, name)
	}
}
