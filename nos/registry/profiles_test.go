package registry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/profiles"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// Every profile says something of every register, and where it has it from.
func TestProfilesAreWhole(t *testing.T) {
	for _, p := range registry.Profiles() {
		require.NotEmpty(t, p.Title, p.Name)
		require.Len(t, p.Rules, len(buffer.Kinds()), p.Name)
		changed := map[buffer.Kind]int{}
		for _, c := range p.Changes {
			require.NotEmpty(t, c.Source+c.Text, p.Name)
			for _, k := range c.Kinds {
				changed[k]++
			}
		}
		for _, k := range buffer.Kinds() {
			r := p.Rule(k)
			require.Equal(t, k, r.Kind)
			require.NotEmpty(t, r.Source, "%s %v", p.Name, k)
			require.Equal(t, r.Expressible(), r.Why == "", "%s %v: words, or a reason", p.Name, k)
			require.Equal(t, 1, changed[k], "%s says once what a change of %v does", p.Name, k)
			if r.Expressible() {
				require.True(t, strings.HasPrefix(r.Path, "/qos/"), r.Path)
				require.Equal(t, r.Round == nos.RoundExact, r.Quantum == 1, "%s %v", p.Name, k)
			}
		}
		if q, found := p.Quirk(profiles.WeightLimit); found {
			require.GreaterOrEqual(t, q.Value, int64(buffer.MaxWeight), "%s: a weight of a plan would have to be rounded",
				p.Name)
		}
		for _, q := range p.Quirks {
			require.NotEmpty(t, q.Text, p.Name)
			require.NotEmpty(t, q.Source, p.Name)
		}
		one, err := registry.LoadProfile(p.Name)
		require.NoError(t, err)
		require.Equal(t, p, one)
		a, err := json.Marshal(p)
		require.NoError(t, err)
		require.Contains(t, string(a), `"inferred":`)
	}
	_, err := registry.LoadProfile("dell")
	require.ErrorIs(t, err, registry.ErrUnknownProfile)
	require.ErrorContains(t, err, `"dell" (want simulated, arista, srlinux, juniper, cisco, sonic, openconfig`)
}

// Nothing but the strict and the simulated profile can say what makes a switch
// lossless over OpenConfig, and those only in part.
func TestNoProfileCarriesHeadroom(t *testing.T) {
	for _, p := range registry.Profiles() {
		missing := p.Missing()
		require.Contains(t, missing, buffer.GroupHeadroom, p.Name)
		require.Contains(t, missing, buffer.GroupLossless, p.Name)
		all := p.Name == "openconfig" || p.Name == "simulated"
		require.Equal(t, all, missing[buffer.GroupAlpha] == "", p.Name)
		require.Equal(t, all, missing[buffer.QueueReserved] == "", p.Name)
		for _, k := range []buffer.Kind{buffer.QueueECNMin, buffer.QueueWeight, buffer.PriorityDSCP} {
			require.Equal(t, p.Name == "sonic", missing[k] != "", "%s %v", p.Name, k)
		}
	}
}

func TestFindProfile(t *testing.T) {
	for _, test := range []struct{ model, organization, want, why string }{
		{"arista-qos-augments", "Arista Networks, Inc.", "arista", "it lists the model arista-qos-augments"},
		{"openconfig-qos", "Arista Networks <http://arista.com/>", "arista",
			"model openconfig-qos is by Arista Networks <http://arista.com/>"},
		{"urn:srl_nokia/qos:srl_nokia-qos", "Nokia", "srlinux", "srl_nokia"},
		{"junos-qfx-conf-root", "Juniper Networks, Inc.", "juniper", "junos-qfx-conf-root"},
		{"Cisco-IOS-XR-um-policymap", "Cisco Systems, Inc.", "cisco", "Cisco-IOS-XR"},
		{"sonic-buffer-pool", "", "sonic", "sonic-buffer-pool"},
		{"cellwarden-simulated", "", "simulated", "cellwarden-simulated"},
		{"openconfig-qos", "OpenConfig working group", "openconfig", "no model of a vendor is listed"},
	} {
		p, why := registry.FindProfile([]nos.Model{{Name: "openconfig-interfaces", Organization: "OpenConfig working group"},
			{Name: test.model, Organization: test.organization}})
		require.Equal(t, test.want, p.Name)
		require.Contains(t, why, test.why)
	}
	p, _ := registry.FindProfile(nil)
	require.Equal(t, "openconfig", p.Name)
}

func TestRuleFit(t *testing.T) {
	up := nos.Rule{Quantum: 6144, Round: nos.RoundUp}
	near := nos.Rule{Quantum: 100, Round: nos.RoundNearest, Most: 10050}
	exact := nos.Rule{Quantum: 1, Round: nos.RoundExact}
	for _, test := range []struct {
		rule     nos.Rule
		in, want int64
	}{
		{up, 0, 0}, {up, 1, 6144}, {up, 6144, 6144}, {up, 80000, 86016}, {up, 6145, 12288},
		{near, 0, 0}, {near, 1, 100}, {near, 149, 100}, {near, 150, 200}, {near, 20000, 10000},
		{exact, -7, -7}, {exact, 12345, 12345},
	} {
		require.Equal(t, test.want, test.rule.Fit(test.in), "%v", test)
	}
}

func TestProfileDisruption(t *testing.T) {
	junos, err := registry.LoadProfile("juniper")
	require.NoError(t, err)
	require.Equal(t, buffer.DisruptsSwitch, junos.Disruption(buffer.PoolShared))
	require.Equal(t, buffer.DisruptsPort, junos.Disruption(buffer.GroupLossless))
	require.Equal(t, buffer.DisruptsNothing, junos.Disruption(buffer.QueueECNMin))
	sim, err := registry.LoadProfile("simulated")
	require.NoError(t, err)
	require.Equal(t, buffer.DisruptsNothing, sim.Disruption(buffer.PoolShared))
	require.Equal(t, buffer.DisruptsSwitch, (&nos.Profile{}).Disruption(buffer.PoolShared),
		"where it says nothing, the worst")
}
