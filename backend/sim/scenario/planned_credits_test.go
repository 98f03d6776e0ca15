package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/buffer"
)

// The plans of these tests: credits of their own, shared ones, and no credits.
var creditPlans = map[string]string{
	"own.yaml": plan("lossless: cbfc, reserved: 90170B", ""),
	// A channel that is full only with shared credits, and one that has few of them.
	"shared.yaml": plan("lossless: cbfc, reserved: 2540B, dynamic_th: 2", "shared_credits: 128KiB"),
	"static.yaml": plan("lossless: cbfc, reserved: 2540B, static_limit: 25400B", "shared_credits: 128KiB"),
	"pauses.yaml": plan("lossless: pfc", ""),
	// Channels that a link of a scenario cannot carry: of two traffic classes, of another number, of one above 7.
	"together.yaml": plan("lossless: cbfc, channels: {4: 3}", ""),
	"other.yaml":    plan("lossless: cbfc, channels: {3: 9}", ""),
	"more.yaml":     plan("lossless: cbfc, channels: {12: 31}", ""),
}

// plan returns a topology with a class of these keys, and ports with these.
func plan(class, port string) string {
	return fmt.Sprintf(`chip: tomahawk4
headroom: {method: ieee802.1qbb, frame: 4096B}
classes:
  - {name: gpu, priorities: [3, 4], %s, mtu: 4096B}
  - {name: rest, priorities: [0, 1, 2, 5, 6, 7]}
ports: [{range: Ethernet1-8, speed: 100G, cable: 40m, mtu: 9216B, %s}]
`, class, port)
}

// byCredits returns a scenario: two hosts send through s1 and s2 to a third.
func byCredits(s1, s2, link string) string {
	return fmt.Sprintf(`name: credits
until: 300us
classes:
  - {name: rdma, priority: 3, lossless: true}
  - {name: rpc, priority: 4, lossless: true}
topology:
  hosts: [h1-3]
  switches: [s1, s2]
  links:
    - {from: h1, to: s1, rate: 100G, cable: 40m%[3]s}
    - {from: h2, to: s1, rate: 100G, cable: 40m%[3]s}
    - {from: s1, to: s2, rate: 100G, cable: 40m%[3]s}
    - {from: s2, to: h3, rate: 100G, cable: 40m%[3]s}
switches:
  - {name: s1, %[1]s}
  - {name: s2, %[2]s}
flows:
  - {name: f, from: [h1, h2], to: h3, class: rdma, frame: 1024B}
  - {name: g, from: h2, to: h3, class: rpc, frame: 512B}
expect: {drops: 0, pause_sent: 0, without_credits: ">100us"}
`, s1, s2, link)
}

// withPlans reads a scenario whose plans are creditPlans.
func withPlans(text string) (*scenario.Scenario, error) {
	return scenario.Read("credits.yaml", []byte(text), func(path string) ([]byte, error) {
		return []byte(creditPlans[path]), nil
	})
}

// resultOf runs a scenario that is as it expects.
func resultOf(t *testing.T, text string) (*scenario.Scenario, *scenario.Result) {
	t.Helper()
	s, err := withPlans(text)
	require.NoError(t, err)
	res, err := s.Run(t.Context(), scenario.Options{})
	require.NoError(t, err)
	require.Empty(t, res.Unmet)
	return s, res
}

const keyed = "cell: 254B, overhead: 48B, pool: 1MiB"

// The same links have the same results by a plan and by the key credits, also where one switch alone has a plan.
func TestPlannedCreditsAreThoseOfTheKey(t *testing.T) {
	_, byKey := resultOf(t, byCredits(keyed, keyed, ", credits: {rdma: 355, rpc: 355}"))
	s, byPlan := resultOf(t, byCredits("plan: own.yaml", "plan: own.yaml", ""))
	require.Equal(t, byKey, byPlan)
	require.Equal(t, []string{"h1", "h2"}, s.PlannedCredits[0].Assumed)
	require.Equal(t, []string{"h3"}, s.PlannedCredits[1].Assumed)

	s, half := resultOf(t, strings.Replace(byCredits("plan: own.yaml", keyed, ""), "to: h3, rate: 100G, cable: 40m",
		"to: h3, rate: 100G, cable: 40m, credits: {rdma: 355, rpc: 355}", 1))
	require.Equal(t, byKey, half)
	require.Len(t, s.PlannedCredits, 1)
	require.Equal(t, []string{"h1", "h2", "s2"}, s.PlannedCredits[0].Assumed)
}

// Both ends count by the smaller cell and the larger overhead.
func TestPlannedCreditsOfTwoMemories(t *testing.T) {
	s, _ := resultOf(t, strings.Replace(byCredits("plan: own.yaml", "cell: 208B, overhead: 60B, pool: 1MiB", ""),
		"to: h3, rate: 100G, cable: 40m", "to: h3, rate: 100G, cable: 40m, credits: {rdma: 400, rpc: 400}", 1))
	require.Len(t, s.PlannedCredits, 2)
	require.EqualValues(t, 254, s.PlannedCredits[0].Credit)
	require.EqualValues(t, 208, s.PlannedCredits[1].Credit)
	require.EqualValues(t, 60, s.PlannedCredits[1].Overhead)
	require.Equal(t, []string{"s2"}, s.PlannedCredits[1].Assumed)
}

// A channel uses shared credits as its plan allows, and no frame is dropped. Two plans can give different numbers.
func TestPlannedSharedCredits(t *testing.T) {
	_, res := resultOf(t, byCredits("plan: shared.yaml", "plan: static.yaml", ""))
	most := map[string]int{}
	for _, p := range res.Ports {
		most[p.Name] = int(p.Layer.Channels[3].MostInUse)
	}
	require.Greater(t, most["h1"], 300, "10 of its own, and 2^2 times those that are free of 517")
	require.Greater(t, most["s1:s2"], 90)
	require.LessOrEqual(t, most["s1:s2"], 110, "10 of its own, and 100 of the shared ones")
}

func TestPlannedCreditsAreRefused(t *testing.T) {
	const beside = "want lossless: cbfc in the plan"
	own := byCredits("plan: own.yaml", "plan: own.yaml", "")
	for _, c := range []struct{ text, want string }{
		{byCredits("plan: own.yaml", "plan: own.yaml", ", credits: {rdma: 10}"), beside},
		{byCredits("plan: pauses.yaml", keyed, ", credits: {rdma: 10}"), beside},
		{byCredits("plan: own.yaml", "plan: pauses.yaml", ""), "the plans of the switches s1 and s2 have credits for other " +
			"classes on their link: want the same virtual channels at both ends"},
		{byCredits("plan: pauses.yaml", "plan: own.yaml", ""), "the plans of the switches s1 and s2"},
		{byCredits("plan: together.yaml", keyed, ""), "switch s1, port Ethernet1 of its plan: virtual channel 3 of class " +
			"gpu has traffic classes 3-4: accepted in a scenario: virtual channels 0 to 7"},
		{byCredits("plan: other.yaml", keyed, ""), "virtual channel 9 of class gpu has traffic classes 3:"},
		{byCredits("plan: more.yaml", keyed, ""), "virtual channel 31 of class gpu has traffic classes 12:"},
		{strings.Replace(own, "priority: 4, lossless: true", "priority: 4", 1), "class gpu of the plan has credits for " +
			"priority 4, and class rpc of the scenario is not lossless: want lossless: true"},
		{own + "host: {pfc: [rdma]}\n", "pauses for a priority with credits"},
	} {
		_, err := withPlans(c.text)
		require.ErrorIs(t, err, buffer.ErrInvalid)
		require.ErrorContains(t, err, c.want)
	}
}

// Registers that are written while packets run would not change the credits of links.
func TestPlannedCreditsAreNotAttached(t *testing.T) {
	s, err := withPlans(byCredits("plan: own.yaml", "plan: own.yaml", ""))
	require.NoError(t, err)
	_, err = s.Attach("s1")
	require.ErrorIs(t, err, buffer.ErrInvalid)
	require.ErrorContains(t, err, "switch s1 has credits of its plan")
}
