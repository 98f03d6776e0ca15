package scenario_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/unit"
)

// An interface delay or a response that the file does not give is that of 31B.3.7 for the rate of the link: the end
// that pauses has one, half of it each way. A value that the file gives is kept, also 0.
func TestDelays(t *testing.T) {
	const ns, ps = unit.Nanosecond, unit.Picosecond
	for name, c := range map[string]struct {
		change                 []string
		inside, host, switched unit.Time // of the first link and its ends
	}{
		"said nothing": {nil, 1008_640 * ps, 2017_280 * ps, 2017_280 * ps},
		"said so": {[]string{"cable: 10m", "cable: 10m, interface: standard", "host: {",
			"host: {response: standard, ", "  cell:", "  response: standard\n  cell:"}, 1008_640 * ps, 2017_280 * ps,
			2017_280 * ps},
		"none": {[]string{"cable: 10m", "cable: 10m, interface: 0ns", "host: {", "host: {response: 0ns, ",
			"  cell:", "  response: 0ns\n  cell:"}, 0, 0, 0},
		"other times": {[]string{"cable: 10m", "cable: 10m, interface: 7ns", "host: {", "host: {response: 8ns, ",
			"  cell:", "  response: 9ns\n  cell:"}, 7 * ns, 8 * ns, 9 * ns},
		"one otherwise": {[]string{"host: {", "hosts: [{name: h1, response: standard}, {name: h2, response: " +
			"5ns}]\nports: [{at: s1, to: h1, response: 6ns}]\nhost: {response: 0ns, "},
			1008_640 * ps, 2017_280 * ps, 6 * ns},
		"400G":                      {[]string{"100G", "400G"}, 579_200 * ps, 1158_400 * ps, 1158_400 * ps},
		"25G":                       {[]string{"100G", "25G"}, 819_200 * ps, 1638_400 * ps, 1638_400 * ps},
		"1G, nobody honours pauses": {[]string{"100G", "1G", "pfc: [rdma]", "pfc: []"}, 820 * ns, 0, 0},
		"1G, the response is given": {[]string{"100G", "1G", "host: {", "host: {response: 1us, ", "  cell:",
			"  response: 2us\n  cell:"}, 820 * ns, 1000 * ns, 2000 * ns},
		"802.3x is a pause as well": {[]string{"pfc: [rdma]}", "link_pause: obeyed}"}, 1008_640 * ps,
			2017_280 * ps, 2017_280 * ps},
		"a plan's classes have PFC, too": {[]string{"host: {pfc: [rdma]}\n" + planless,
			"switch: {plan: ../../../examples/arista-7060cx-32s.yaml}\n"}, 1008_640 * ps, 0, 2017_280 * ps},
		"in a list, each link by its rate": {[]string{"{kind: incast, senders: 2, rate: 100G, cable: 10m}",
			"{hosts: [h1, h2, receiver], switches: [s1], links: [{from: h1, to: s1, rate: 40G, delay: 1us}, {from: " +
				"h2, to: s1, rate: 10G, delay: 1us}, {from: receiver, to: s1, rate: 10G, delay: 1us}]}"},
			755_200 * ps, 1510_400 * ps, 1510_400 * ps},
	} {
		t.Run(name, func(t *testing.T) {
			s := read(t, strings.NewReplacer(c.change...).Replace(small))
			n := s.Network
			require.Equal(t, []unit.Time{c.inside, c.host, c.switched},
				[]unit.Time{n.Links[0].Interface, n.Hosts[0].Response, n.Switches[0].Ports[0].Resp})
		})
	}
}

// planless is what a plan says in the place of the file.
const planless = `switch:
  cell: 208B
  pool: 256KiB
  pfc: [rdma]
  groups:
    rdma: {alpha: 1/8, headroom: 64KiB, xon_offset: 2KiB}
`

// The documented defaults are those of the code.
func TestDelaysAreDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/scenarios.md")
	require.NoError(t, err)
	for _, rate := range []string{"10G", "25G", "40G", "50G", "100G", "200G", "400G", "800G", "1.6T"} {
		n := read(t, strings.Replace(small, "100G", rate, 1)).Network
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| %s \| %v(, inferred)? \| %v(, inferred)? \|$`, rate,
			n.Links[0].Interface, n.Hosts[0].Response))
		require.True(t, row.Match(docs), row)
	}
}

// A trunk has the properties of the links to hosts unless the file gives
// others. Its default delays are those of its own rate.
func TestDelaysOfTrunks(t *testing.T) {
	text := strings.NewReplacer("kind: incast, senders: 2", "kind: two-switches, left: 1, right: 1, trunk_rate: 40G",
		"receiver", "r1").Replace(small)
	n := read(t, text).Network
	require.Equal(t, 1008_640*unit.Picosecond, n.Links[0].Interface)
	require.Equal(t, 755_200*unit.Picosecond, n.Links[2].Interface)
	require.Equal(t, 2017_280*unit.Picosecond, n.Switches[0].Ports[0].Resp)
	require.Equal(t, 1510_400*unit.Picosecond, n.Switches[0].Ports[1].Resp)
	n = read(t, strings.Replace(text, "cable: 10m", "cable: 10m, interface: 3ns", 1)).Network
	require.Equal(t, 3*unit.Nanosecond, n.Links[2].Interface)
	n = read(t, strings.Replace(text, "cable: 10m", "cable: 10m, interface: 3ns, trunk_interface: standard", 1)).Network
	require.Equal(t, 755_200*unit.Picosecond, n.Links[2].Interface)
}

func TestDelaysRefused(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"cable: 10m", "cable: 10m, interface: soon", `small.yaml:6: topology.interface: "soon" is not a time`},
		{"cable: 10m", "cable: 10m, interface: soon", "; or standard"},
		{"host: {", "host: {response: 7, ", `small.yaml:7: host.response: "7" is not a time`},
		{"100G", "1G", "small.yaml:6: topology: no source gives the pause response time of 1G (want 10G, 25G, " +
			"40G, 50G, 100G, 200G, 400G, 800G, 1.6T); give the response of the host: a time"},
		{"100G", "1G", "small.yaml:6: topology: no source gives the pause response time of 1G (want 10G, 25G, " +
			"40G, 50G, 100G, 200G, 400G, 800G, 1.6T); give the response of the switch: a time"},
		{"100G", "999b/s", "small.yaml:6: topology: link refused: rate 999b/s is not between 1M and 100T; give the " +
			"interface of the link: a time"},
	} {
		_, err := scenario.Read("small.yaml", []byte(strings.Replace(small, c.from, c.to, 1)), os.ReadFile)
		require.ErrorContains(t, err, c.want)
	}
}

// worst is the worst case of a headroom that IEEE's method has sized: nothing
// leaves the switch, and each pause waits for the longest frame.
const worst = `name: worst
until: 400us
classes:
  - {name: rdma, priority: 3, lossless: true}
topology: {kind: incast, senders: 1, rate: %v, cable: %v}
host: {pfc: [rdma]}
switch:
  cell: 208B
  pool: 64KiB
  pfc: [rdma]
  wait: 9216B
  groups:
    rdma: {alpha: 1/8, headroom: {method: ieee802.1qbb, frame: %v, mtu: 9216B, lossless_mtu: %v}}
flows:
  - {from: h1, to: receiver, class: rdma, frame: %v, start: 20us}
failures:
  - {kind: storm, host: receiver, classes: [rdma]}
`

// With the defaults, the headroom of the formula is enough on every link, and used to within one frame.
func TestDefaultsAgreeWithTheFormula(t *testing.T) {
	for _, rate := range []unit.BitRate{10, 25, 40, 50, 100, 200, 400, 800} {
		rate *= unit.Gbps
		for _, cable := range []unit.Length{10 * unit.Metre, 300 * unit.Metre, 2 * unit.Kilometre} {
			for _, frame := range []unit.Bytes{209, 1024, 4096} {
				s := read(t, fmt.Sprintf(worst, rate, cable, frame, frame, frame))
				res, err := s.Run(context.Background(), scenario.Options{})
				require.NoError(t, err)
				require.Zero(t, res.Summary.Drops, "%v %v %v", rate, cable, frame)
				sized, peak := int64(s.Network.Switches[0].MMU.Groups[0].Headroom), int64(res.Summary.MaxHeadroom)
				perFrame := (int64(frame) + 207) / 208
				require.LessOrEqual(t, peak, sized, "%v %v %v", rate, cable, frame)
				require.GreaterOrEqual(t, peak, sized-perFrame, "%v %v %v", rate, cable, frame)
			}
		}
	}
}
