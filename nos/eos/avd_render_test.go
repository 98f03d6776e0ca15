package eos_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The variables are those of AVD's schema, and audit reads from them, as YAML and as JSON, what it reads from the
// commands that AVD makes of them.
func TestVariablesComeBackEqual(t *testing.T) {
	yaml, plan, r := fileOf(t, eos.System.Tool, pooled(1), "avd.yaml")
	json, _, _ := fileOf(t, eos.System.Tool, pooled(1), "avd.json")
	commands, _, _ := file(t, pooled(1), "mmu.cli")
	group := plan.Ports()[0].Groups[3]
	require.Equal(t, fmt.Sprintf(`---
platform:
  trident:
    mmu:
      active_profile: cellwarden
      headroom_pool:
        unit: bytes
        limit: 832000
      queue_profiles:
        - name: cellwarden
          ingress:
            headroom: {unit: bytes, memory: %d}
            resume: 2288
            priority_groups:
              - id: 0
                threshold: "1/2"
              - id: 3
                threshold: "1/8"
                reserved: {unit: bytes, memory: 2080}
              - id: 4
                threshold: "1/2"
                reserved: {unit: bytes, memory: 208}
`, int64(group.Headroom)), yaml)
	// numbers lists what a reading has of the pool and of the groups.
	numbers := func(name, text string) (out []string) {
		reading, err := eos.System.Read(name, []byte(text), audit.Catalogued("tomahawk", "the test"))
		require.NoError(t, err)
		require.Empty(t, reading.Findings, name)
		require.Zero(t, reading.Statements.Unread, name)
		for _, p := range reading.Switch.Pools {
			out = append(out, fmt.Sprint(p.Name, p.XOFF.Value))
		}
		for _, p := range reading.Switch.Profiles {
			out = append(out, fmt.Sprint(p.Name, p.Pool.Name, p.Size.Value, p.DynamicTh.Value, p.XOFF.Value,
				p.XONOffset.Value))
		}
		return out
	}
	fromYAML := numbers("avd.yaml", yaml)
	require.Equal(t, []string{"headroom-pool832000",
		fmt.Sprint("cellwarden 0", "headroom-pool", 0, -1, int64(group.Headroom), 2288),
		fmt.Sprint("cellwarden 3", "headroom-pool", 2080, -3, int64(group.Headroom), 2288),
		fmt.Sprint("cellwarden 4", "headroom-pool", 208, -1, int64(group.Headroom), 2288)}, fromYAML)
	require.Equal(t, fromYAML, numbers("avd.json", json))
	enable, _, _ := file(t, pooled(1), "pfc.cli") // commands alone say which groups are used by the ports that have them
	require.Subset(t, fromYAML, numbers("mmu.cli", commands+enable))
	require.Contains(t, fmt.Sprint(r.Omitted), "ethernet_interfaces[].priority_flow_control")
	require.False(t, r.Lossless(), "PFC is elsewhere")
}

// An alpha that is no threshold is refused, and not rounded; so is a plan without lossless groups. What differs by port
// is named.
func TestVariablesRefused(t *testing.T) {
	for n := thresholds.Alpha(-8); n <= 7; n++ {
		in := pooled(1)
		in.Classes[0].Alpha = &n
		text, _, r := fileOf(t, eos.System.Tool, in, "avd.yaml")
		if n >= -7 && n <= 3 {
			require.Empty(t, r.Refused)
			require.Contains(t, text, fmt.Sprintf("threshold: %q", n))
			continue
		}
		require.Empty(t, text)
		require.Empty(t, r.Files)
		require.Contains(t, r.Refused, fmt.Sprintf("group 3 has alpha %v: want a threshold of AVD, 1/128, ", n))
	}
	in := pooled(1)
	for i := range in.Classes {
		in.Classes[i].Lossless, in.Classes[i].XONOffset = false, unit.Optional[unit.Bytes]{}
	}
	in.Pool.SharedHeadroom = 0
	_, _, r := fileOf(t, eos.System.Tool, in, "avd.yaml")
	require.Contains(t, r.Refused, "no group is lossless")

	in = pooled(1)
	in.Ports[0].Cable = 300 * unit.Metre
	_, _, r = fileOf(t, eos.System.Tool, in, "avd.yaml")
	require.Contains(t, strings.Join(r.Notes, "\n"), "ingress headroom is one size for all groups of all ports")
}
