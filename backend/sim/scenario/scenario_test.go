package scenario_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

const small = `name: small
seed: 3
until: 40us
classes:
  - {name: rdma, priority: 3, lossless: true, dscp: 26}
topology: {kind: incast, senders: 2, rate: 100G, cable: 10m}
host: {pfc: [rdma]}
switch:
  cell: 208B
  pool: 256KiB
  pfc: [rdma]
  groups:
    rdma: {alpha: 1/8, headroom: 64KiB, xon_offset: 2KiB}
flows:
  - {name: in, from: all, to: receiver, class: rdma, frame: 1024B, size: 200KiB}
expect:
  drops: 0
  pause_sent: ">0"
`

func read(t testing.TB, text string) *scenario.Scenario {
	s, err := scenario.Read("small.yaml", []byte(text), os.ReadFile)
	require.NoError(t, err)
	return s
}

// Example runs a scenario and says whether it went as expected.
func Example() {
	s, err := scenario.Read("small.yaml", []byte(small), os.ReadFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := s.Run(context.Background(), scenario.Options{})
	fmt.Println(err, res.Summary.Delivered, "frames delivered,", res.Summary.Drops, "dropped, unmet:", res.Unmet)

	s, _ = scenario.Read("small.yaml", []byte(strings.Replace(small, "drops: 0", "frames_delivered: 5..7", 1)),
		os.ReadFile)
	res, _ = s.Run(context.Background(), scenario.Options{})
	fmt.Println(res.Unmet[0])
	// Output:
	// <nil> 400 frames delivered, 0 dropped, unmet: []
	// expect.frames_delivered: 400, expected 5..7
}

// TestGallery runs every example. Each has a lesson and expectations, and meets them.
func TestGallery(t *testing.T) {
	files, err := filepath.Glob("../../../examples/scenarios/*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 12)
	docs, err := os.ReadFile("../../../docs/scenarios.md")
	require.NoError(t, err)
	for i, file := range files {
		if !effort.Some(i, 3) { // each has one goroutine
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && strings.HasPrefix(filepath.Base(file), "dcqcn-") {
				t.Skip("millions of events")
			}
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			s, err := scenario.Read(file, data, os.ReadFile)
			require.NoError(t, err)
			require.NotEmpty(t, s.Lesson)
			require.True(t, bytes.Contains(docs, []byte("(../examples/scenarios/"+filepath.Base(file)+")")),
				"docs/scenarios.md does not list it")
			require.NotEmpty(t, s.Expect)
			res, err := s.Run(context.Background(), scenario.Options{})
			require.NoError(t, err)
			require.Empty(t, res.Unmet)
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"name: small", "colour: red", "small.yaml:1: colour: unknown key"},
		{"until: 40us", "until: 0us", `small.yaml:3: until: "0us": want more than 0`},
		{"until: 40us", "until: 40", `small.yaml:3: until: "40" is not a time`},
		{"rate: 100G", "rate: 0G", "small.yaml:6: topology: rate: 0b/s (want 1b/s to 100T)"},
		{"rate: 100G", "rate: 400", `small.yaml:6: topology.rate: "400" is not a bit rate`},
		{"rate: 100G, cable: 10m", "rate: 100G", "small.yaml:6: topology: no delay"},
		{"cable: 10m", "cable: 10m, delay: 3us",
			"small.yaml:6: topology.cable: \"10m\": want cable or delay, not both"},
		{"kind: incast", "kind: torus", "small.yaml:6: topology.kind: \"torus\": want chain"},
		{"senders: 2", "senders: 100000",
			"small.yaml:6: topology.senders: \"100000\": want a whole number from 1 to 4096"},
		{"kind: incast, senders: 2", "kind: leaf-spine, leaves: 4096, spines: 4096, hosts: 4096",
			"68719476736 hosts or links: want at most 65536"},
		{"cell: 208B", "overhead: 0B", "small.yaml:9: switch: switch s1 has no cell or no pool"},
		{"pool: 256KiB", "pool: 256kB", `small.yaml:10: switch.pool: "256kB" is not a number of bytes`},
		{"alpha: 1/8", "alpha: 1/7", `small.yaml:13: switch.groups.rdma.alpha: "1/7"`},
		{"alpha: 1/8", "alpha: 1/8, static: 4KiB",
			"small.yaml:13: switch.groups.rdma: alpha, static and unlimited: want one of them"},
		{"alpha: 1/8", "unlimited: false", `small.yaml:13: switch.groups.rdma.unlimited: "false": want true`},
		{"    rdma:", "    rdna:", "small.yaml:13: switch.groups.rdna: unknown key: want rdma, other"},
		{"lossless: true", "lossless: false", "small.yaml:13: switch.groups.rdma.headroom: headroom of a lossy class"},
		{"to: receiver", "to: nobody",
			`small.yaml:15: flows[0].to: "nobody": want a name of the hosts: h1, h2, receiver; or all`},
		{"class: rdma", "class: other", `small.yaml:15: flows[0].class: "other": want a class: rdma`},
		{"frame: 1024B", "frame: 20B", "small.yaml:15: flows[0]: frame: 20B (want 64B to 16384B)"},
		{"from: all, to: receiver", "from: h1, to: h1",
			"small.yaml:15: flows[0]: to: 0 (want another host than from)"},
		{"frame: 1024B", "frame: 1024B, repeat: 100000",
			"small.yaml:15: flows[0]: 300000 flows: want at most 200000 in all"},
		{"drops: 0", "drops: few", `small.yaml:17: expect.drops: "few" is not a count`},
		{"drops: 0", "drops: 7..3", `small.yaml:17: expect.drops: "7..3" is empty`},
		{"drops: 0", "flows: [{flow: out}]",
			`small.yaml:17: expect.flows[0].flow: "out": want the name of an entry of flows`},
		{"drops: 0", "ports: [{at: s1, to: h9}]",
			`small.yaml:17: expect.ports[0].to: "h9": want a name of the neighbours`},
		{"drops: 0", "drops_by_reason: {rain: 1}", "small.yaml:17: expect.drops_by_reason.rain: unknown key"},
		{"{kind: incast, senders: 2, rate: 100G, cable: 10m}",
			"{hosts: [h1, h2, receiver], switches: [s1], links: [{from: h1, to: s1, rate: 10G, delay: 1us}]}",
			"small.yaml:15: flows[0]: no route from host 0 to host 2"},
		{"{kind: incast, senders: 2, rate: 100G, cable: 10m}", "{hosts: [a, a, receiver], switches: [s1], links: []}",
			`small.yaml:6: topology: "a": want a name that no other host or switch has`},
		{"cell: 208B", "plan: nowhere.yaml",
			`small.yaml:9: switch.plan: "nowhere.yaml": want the path of a topology file that can be read`},
		{"cell: 208B", "plan: ../../../examples/arista-7060cx-32s-dedicated-10km.yaml", "small.yaml:9: switch.plan: "},
		{"cell: 208B", "plan: ../../../examples/arista-7060cx-32s.yaml",
			"small.yaml:10: switch.pool: not accepted beside a plan"},
		{"host: {pfc: [rdma]}", "host: {pfc: [rdma]}\nswitches:\n  - {name: s1, plan_ports: {receiver: Ethernet1/9}}",
			"small.yaml:9: switches[0].plan_ports: accepted beside a plan"},
		{"name: small", "", "small.yaml:2: name: missing"},
		{small, "", "small.yaml:1: document: empty"},
	} {
		text := strings.Replace(small, c.from, c.to, 1)
		require.NotEqual(t, small, text, "%q is not in the file", c.from)
		_, err := scenario.Read("small.yaml", []byte(text), os.ReadFile)
		require.ErrorContains(t, err, c.want)
		require.True(t, errors.Is(err, buffer.ErrInvalid))
	}
}

func TestReadComplainsOfAllAtOnce(t *testing.T) {
	text := strings.NewReplacer("until: 40us", "until: 40", "alpha: 1/8", "alpha: 3", "drops: 0", "drops: x").Replace(
		small)
	_, err := scenario.Read("small.yaml", []byte(text), os.ReadFile)
	for _, want := range []string{"small.yaml:3:", "small.yaml:13:", "small.yaml:17:"} {
		require.ErrorContains(t, err, want)
	}
}

// Where the file has nothing to choose from, the complaint says so.
func TestReadSaysThatThereAreNoClasses(t *testing.T) {
	text := strings.Replace(small, "classes:\n", "classes: []\nclassless:\n", 1)
	_, err := scenario.Read("small.yaml", []byte(text), os.ReadFile)
	require.ErrorContains(t, err, `flows[0].class: "rdma": want none: the file has no classes`)
	require.NotRegexp(t, `(?m)(accepted|class): *$`, err.Error())
}

func TestReadRefusesWhatIsNoTextOnce(t *testing.T) {
	text := strings.Replace(small, "headroom: 64KiB",
		"headroom: {method: ieee802.1qbb, frame: [64], mtu: 9216B, lossless_mtu: 4096B}", 1)
	_, err := scenario.Read("small.yaml", []byte(text), os.ReadFile)
	require.ErrorContains(t, err, "frame: a list: want text")
	require.Equal(t, 1, strings.Count(err.Error(), "frame"), err)
}

// files is what a run writes.
type files struct{ trace, capture, plot bytes.Buffer }

func run(t *testing.T, ctx context.Context, s *scenario.Scenario, progress func(done, whole unit.Time)) (
	*scenario.Result, *files) {
	var f files
	res, err := s.Run(ctx, scenario.Options{Trace: &f.trace, Capture: &f.capture, Plot: &f.plot, Progress: progress})
	require.NoError(t, err)
	return res, &f
}

// The same file and seed give the same bytes. The outputs do not change the run.
func TestRunIsDeterministic(t *testing.T) {
	a, one := run(t, context.Background(), read(t, small), nil)
	b, two := run(t, context.Background(), read(t, small), nil)
	require.Equal(t, a, b)
	require.Equal(t, one.trace.String(), two.trace.String())
	require.Equal(t, one.capture.Bytes(), two.capture.Bytes())
	require.Equal(t, one.plot.String(), two.plot.String())
	plain, err := read(t, small).Run(context.Background(), scenario.Options{})
	require.NoError(t, err)
	require.Equal(t, a.Summary, plain.Summary)
}

// The counts of the trace are those of the summary.
func TestTrace(t *testing.T) {
	res, f := run(t, context.Background(), read(t, small), nil)
	rows, err := csv.NewReader(&f.trace).ReadAll()
	require.NoError(t, err)
	require.Equal(t, strings.Split(scenario.TraceColumns, ","), rows[0])
	counts := map[string]int64{}
	for _, row := range rows[1:] {
		counts[row[1]]++
	}
	require.Equal(t, res.Summary.Delivered, counts["delivered"])
	require.Equal(t, res.Summary.PauseSent, counts["xoff-sent"])
	require.Equal(t, res.Summary.ResumeSent, counts["xon-sent"])
	require.Equal(t, counts["enqueued"], counts["departed"])
	require.Zero(t, counts["cut"])
}

// frames reads a capture back.
func frames(t *testing.T, file []byte) (out []gopacket.Packet) {
	r, err := pcapgo.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, layers.LinkTypeEthernet, r.LinkType())
	for {
		data, info, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		require.Equal(t, info.CaptureLength, len(data))
		p := gopacket.NewPacket(data, layers.LayerTypeEthernet, gopacket.Default)
		p.Metadata().CaptureInfo = info
		out = append(out, p)
	}
}

// The capture has every frame at every hop, in the form that a capture of real frames has.
func TestCapture(t *testing.T) {
	res, f := run(t, context.Background(), read(t, small), nil)
	pauses, resumes, data := int64(0), int64(0), int64(0)
	last := int64(-1)
	for _, p := range frames(t, f.capture.Bytes()) {
		at := p.Metadata().Timestamp.UnixNano()
		require.GreaterOrEqual(t, at, last)
		last = at
		eth := p.LinkLayer().(*layers.Ethernet)
		if eth.EthernetType == pfc.EtherType {
			frame := pauseOf(t, p)
			require.Equal(t, pfc.Of(3), frame.Enabled)
			if frame.Quanta[3] > 0 {
				pauses++
			} else {
				resumes++
			}
			continue
		}
		data++
		require.Equal(t, 1020, p.Metadata().Length)
		tag := p.Layer(layers.LayerTypeDot1Q).(*layers.Dot1Q)
		require.EqualValues(t, 3, tag.Priority)
		ip := p.NetworkLayer().(*layers.IPv4)
		require.EqualValues(t, 26<<2, ip.TOS)
		require.EqualValues(t, 1020-18, ip.Length)
		require.EqualValues(t, 4791, p.TransportLayer().(*layers.UDP).DstPort)
	}
	require.Equal(t, res.Summary.PauseSent, pauses)
	require.Equal(t, res.Summary.ResumeSent, resumes)
	require.Equal(t, 2*res.Summary.Delivered, data, "each frame on two links")
}

// pauseOf reads a PFC frame of a capture, which has no check sequence, and writes it again: all its bytes must agree.
func pauseOf(t *testing.T, p gopacket.Packet) pfc.Frame {
	data := p.Data()
	require.Len(t, data, pfc.FrameBytes-4)
	frame := pfc.Frame{Source: pfc.Address(data[6:12]), Enabled: pfc.Priorities(data[17])}
	for priority := range frame.Quanta {
		frame.Quanta[priority] = binary.BigEndian.Uint16(data[18+2*priority:])
	}
	require.Equal(t, data, frame.AppendTo(nil, pfc.WithoutFCS))
	return frame
}

// The capture contains the pause frames of a host in a storm.
func TestCaptureOfAStorm(t *testing.T) {
	text := strings.Replace(small, "  cell: 208B", "  quanta: 7\n  cell: 208B", 1) +
		"failures: [{kind: storm, host: receiver, classes: [rdma]}]\n"
	s := read(t, strings.Replace(text, "drops: 0", "deadlocks: 0", 1))
	_, f := run(t, context.Background(), s, nil)
	all := frames(t, f.capture.Bytes())
	p := all[slices.IndexFunc(all,
		func(p gopacket.Packet) bool { return p.LinkLayer().(*layers.Ethernet).EthernetType == pfc.EtherType })]
	frame := pauseOf(t, p)
	require.Equal(t, pfc.Address{2, 0, 0, 2, 0, 0}, frame.Source)
	require.EqualValues(t, pfc.MaxQuanta, frame.Quanta[3])
}

// A cancelled run leaves complete files, and each says that the run was interrupted.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	res, f := run(t, ctx, read(t, small), func(done, whole unit.Time) {
		if done >= whole/2 {
			cancel()
		}
	})
	require.True(t, res.Cut)
	require.False(t, res.Checked)
	require.Empty(t, res.Unmet)
	rows, err := csv.NewReader(&f.trace).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "cut", rows[len(rows)-1][1])
	require.NotEmpty(t, frames(t, f.capture.Bytes()))
	require.Contains(t, f.plot.String(), "CUT: the run was interrupted at ")
	require.True(t, strings.HasSuffix(f.plot.String(), "</html>\n"))
}

// A page needs no other file and no network: its empty icon keeps a browser from asking for one.
func TestPlotStandsAlone(t *testing.T) {
	_, f := run(t, context.Background(), read(t, small), nil)
	text := strings.Replace(f.plot.String(), `<link rel="icon" href="data:,">`, "", 1)
	for _, never := range []string{"http:", "https:", "src=", "href=", "@import", "<script", "url("} {
		require.NotContains(t, text, never)
	}
	for _, want := range []string{"<svg", "Shared cells of priority groups", "limit at s1, alpha 1/8", "Headroom",
		"Egress queues", "Pauses", "Delivered"} {
		require.Contains(t, f.plot.String(), want)
	}
}

// The page says whether the run was as expected, and what the diagnosis found. Both ends of a link have one colour.
func TestPlotHasVerdictAndFindings(t *testing.T) {
	effort.Alone(t)
	file := filepath.Join("..", "..", "..", "examples", "scenarios", "class-map-mismatch.yaml")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := scenario.Read(file, data, os.ReadFile)
	require.NoError(t, err)
	res, f := run(t, context.Background(), s, nil)
	require.NotEmpty(t, res.Findings)
	page := html.UnescapeString(f.plot.String())
	require.Contains(t, page, fmt.Sprintf("AS EXPECTED: %d expectations are met", len(s.Expect)))
	for _, x := range res.Findings {
		require.Contains(t, page, "<li>"+x.String()+"</li>")
	}

	_, f = run(t, context.Background(), read(t, small), nil)
	colour := func(name string) string {
		m := regexp.MustCompile(`<path class="(?:line )?[fl]([0-9])[^>]*><title>` + name).FindStringSubmatch(f.plot.String())
		require.NotNil(t, m, name)
		return m[1]
	}
	require.Equal(t, colour("s1:h1 rdma"), colour("h1 rdma"))
	require.NotEqual(t, colour("s1:h1 rdma"), colour("s1:h2 rdma"))
}

// full refuses to be written to.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestRunSaysWhatCannotBeWritten(t *testing.T) {
	for _, o := range []scenario.Options{{Trace: full{}}, {Capture: full{}}, {Plot: full{}}} {
		_, err := read(t, small).Run(context.Background(), o)
		require.ErrorContains(t, err, "no space left")
	}
}

func TestUntilLooksAtNoExpectations(t *testing.T) {
	res, err := read(t, small).Run(context.Background(), scenario.Options{Until: unit.Microsecond})
	require.NoError(t, err)
	require.False(t, res.Checked)
	require.Equal(t, unit.Microsecond, res.End)
}

// FuzzRead reads any text. It is refused with a reason, or it runs.
func FuzzRead(f *testing.F) {
	effort.Alone(f)
	f.Add([]byte(small))
	files, _ := filepath.Glob("../../../examples/scenarios/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte("a: &a [*a, *a]\ntopology: *a\nflows: *a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scenario.Read("f.yaml", data,
			func(string) ([]byte, error) { return nil, errors.New("no files here") })
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		if len(s.Network.Hosts) > 40 || len(s.Network.Flows) > 100 {
			return
		}
		_, err = s.Run(context.Background(), scenario.Options{Until: 3 * unit.Microsecond, Trace: io.Discard,
			Capture: io.Discard, Plot: io.Discard})
		require.NoError(t, err)
	})
}

// The DSCP map and the weights of a plan are those of the switch, unless the file gives others.
func TestPlanSaysWhatPortsTrust(t *testing.T) {
	const topology = `chip: tomahawk
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true, weight: 60, ecn: {kmin: 208KiB, kmax: 416KiB, pmax: 5%}},
  {name: rest, priorities: [0], weight: 40}]
dscp: {3: [26]}
ports: [{range: e1-3, speed: 100G, cable: 10m}]`
	open := func(path string) ([]byte, error) {
		if path == "leaf.yaml" {
			return []byte(topology), nil
		}
		return os.ReadFile(path)
	}
	at := strings.Index(small, "switch:")
	end := at + strings.Index(small[at:], "flows:")
	text := func(more string) string { return small[:at] + "switch: {plan: leaf.yaml" + more + "}\n" + small[end:] }
	s, err := scenario.Read("small.yaml", []byte(text("")), open)
	require.NoError(t, err)
	port := s.Network.Switches[0].Ports[0]
	require.Equal(t, fabric.TrustDSCP, port.Trust)
	require.EqualValues(t, 3, port.Map[26])
	require.Equal(t, fabric.Selection{Algorithm: fabric.DWRR, Weight: 60}, port.ETS.Queues[3])
	require.Equal(t, ecn.Thresholds{KMin: 208 * unit.KiB, KMax: 416 * unit.KiB, PMax: 5 * unit.OnePercent},
		port.ECN[3].Thresholds)
	s, err = scenario.Read("small.yaml", []byte(text(", map: {rdma: [8]}")), open)
	require.NoError(t, err)
	require.EqualValues(t, 0, s.Network.Switches[0].Ports[0].Map[26], "the file says otherwise")
}
