package diagnosis_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

const second = 125_000_000 // bytes of a port of 1G

// readings are two of three 1G ports, a second apart, that differ by what is given for class 3.
func readings(rise ...diagnosis.Counters) (before, after diagnosis.Snapshot) {
	after.At = unit.Second
	for i := range 3 {
		p := diagnosis.Port{Name: fmt.Sprintf("Ethernet%d", i), Rate: unit.Gbps, Lossless: pfc.Of(3)}
		p.Classes[3] = diagnosis.Counters{PauseSent: 5, PauseReceived: 5, Drops: 5, BytesIn: 5, BytesOut: 5,
			PausedTime: 5}
		before.Ports = append(before.Ports, p)
		if i < len(rise) {
			c, r := &p.Classes[3], rise[i]
			c.PauseSent, c.PauseReceived, c.Drops = c.PauseSent+r.PauseSent, c.PauseReceived+r.PauseReceived,
				c.Drops+r.Drops
			c.BytesIn, c.BytesOut, c.PausedTime = c.BytesIn+r.BytesIn, c.BytesOut+r.BytesOut, c.PausedTime+r.PausedTime
		}
		after.Ports = append(after.Ports, p)
	}
	return before, after
}

func TestPatterns(t *testing.T) {
	type c = diagnosis.Counters
	for name, v := range map[string]struct {
		rise []c
		want []string
	}{
		"nothing": {nil, nil},
		"traffic": {[]c{{BytesIn: second, BytesOut: second}}, nil},
		"headroom": {[]c{{PauseSent: 9, Drops: 4, BytesIn: second / 2}},
			[]string{"Ethernet0 class 3: headroom (pause_sent 9 frames, drops 4 frames, use_in 50.00%)"}},
		"footroom": {[]c{{PauseSent: 9, BytesIn: second / 4}, {BytesOut: second / 4}},
			[]string{"Ethernet0 class 3: footroom (pause_sent 9 frames, use_in 25.00%, busiest_egress 25.00%)"}},
		"congestion": {[]c{{PauseSent: 9, BytesIn: second / 4}, {BytesOut: second * 95 / 100}}, nil},
		"not low":    {[]c{{PauseSent: 9, BytesIn: second / 2}, {BytesOut: second / 2}}, nil},
		"pauses that were passed": {
			[]c{{PauseSent: 9, BytesIn: second / 4}, {PauseReceived: 7, PausedTime: unit.Second / 2}},
			[]string{"Ethernet1 class 3: spreading " +
				"(pause_received 7 frames, paused 50.00%, pause_sent_by_switch 9 frames)"}},
		"class map": {[]c{{Drops: 4, BytesIn: second}}, []string{
			"Ethernet0 class 3: class-map (drops 4 frames, pause_sent 0 frames, bytes_in_lossless 125000000 bytes)"}},
		"victim": {[]c{{}, {PauseReceived: 7}}, []string{
			"Ethernet1 class 3: victim (pause_received 7 frames, paused 0.00%, pause_sent_by_switch 0 frames)"}},
		"storm": {[]c{{PauseReceived: 7, PausedTime: unit.Second * 9 / 10}},
			[]string{"Ethernet0 class 3: storm (paused 90.00%, pause_received 7 frames)"}},
		"nearly a storm": {[]c{{PauseReceived: 7, PausedTime: unit.Second*9/10 - unit.Millisecond}},
			[]string{"Ethernet0 class 3: victim"}},
		"the gravest stands first": {[]c{{PauseReceived: 1}, {Drops: 1, PauseSent: 1}, {PausedTime: unit.Second}},
			[]string{"Ethernet2 class 3: storm", "Ethernet1 class 3: headroom", "Ethernet0 class 3: spreading"}},
		"more than the line, still": {[]c{{PauseSent: 1, Drops: 1, BytesIn: 1 << 50}}, []string{"use_in 10000.00%"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := diagnosis.Diagnose(readings(v.rise...))
			require.NoError(t, err)
			require.Len(t, found, len(v.want), "%v", found)
			for i, w := range v.want {
				require.Contains(t, found[i].String(), w)
				require.NotEmpty(t, found[i].Repair)
			}
		})
	}
}

// Drops of a lossy class are normal, unless nothing has arrived in the lossless class.
func TestDropsOfALossyClass(t *testing.T) {
	look := func(lossless pfc.Priorities, bytes unit.Bytes) []finding.Finding {
		before, after := readings()
		after.Ports[0].Classes[0].Drops = 3
		after.Ports[0].Classes[3].BytesIn += bytes
		after.Ports[0].Lossless = lossless
		found, err := diagnosis.Diagnose(before, after)
		require.NoError(t, err)
		return found
	}
	require.Empty(t, look(pfc.Of(3), 1000))
	require.Len(t, look(pfc.Of(3), 0), 1)
	require.Len(t, look(pfc.Of(0, 3), 1000), 1)
	require.EqualValues(t, "class-map", look(0, 1000)[0].Code, "nobody knows which classes are lossless")
}

func TestLimits(t *testing.T) {
	before, after := readings(diagnosis.Counters{PauseReceived: 1, PausedTime: unit.Second / 2})
	found, err := diagnosis.Limits{Paused: 40 * unit.OnePercent}.Diagnose(before, after)
	require.NoError(t, err)
	require.EqualValues(t, "storm", found[0].Code)
	_, err = diagnosis.Limits{Paused: -1, High: 20000}.Diagnose(before, after)
	require.ErrorContains(t, err, "limits.paused: -0.01% (want 0% to 100%)")
	require.ErrorContains(t, err, "limits.high: 200%")
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(before, after *diagnosis.Snapshot)
		says   []string
	}{
		"time": {func(b, a *diagnosis.Snapshot) { a.At = b.At },
			[]string{"after.at: 0ps (want later than 0ps)"}},
		"early": {func(b, a *diagnosis.Snapshot) { b.At = -1 }, []string{"before.at: -1ps"}},
		"ports": {func(b, a *diagnosis.Snapshot) { b.Ports = b.Ports[:2] }, []string{
			"after.ports: 3 (want 2, as before)"}},
		"name": {func(b, a *diagnosis.Snapshot) { a.Ports[1].Name = "x" },
			[]string{`after.ports[1].name: "x" (want "Ethernet1", as before)`}},
		"rate": {func(b, a *diagnosis.Snapshot) { a.Ports[0].Rate = 0 }, []string{"after.ports[0].rate: "}},
		"cleared": {func(b, a *diagnosis.Snapshot) {
			a.Ports[0].Classes[3].Drops = 0
			b.Ports[2].Classes[1].BytesIn = -1
		}, []string{"after.ports[0].classes[3].drops: 0 (want 5, the earlier value, to ",
			"before.ports[2].classes[1].bytes_in: -1 (want 0 and more)"}},
		"huge": {func(b, a *diagnosis.Snapshot) { a.Ports[0].Classes[3].BytesOut = 1<<63 - 1 },
			[]string{"after.ports[0].classes[3].bytes_out: "}},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := readings()
			c.change(&before, &after)
			found, err := diagnosis.Diagnose(before, after)
			require.Empty(t, found)
			for _, s := range c.says {
				require.ErrorContains(t, err, s)
			}
		})
	}
	found, err := diagnosis.Diagnose(diagnosis.Snapshot{}, diagnosis.Snapshot{At: 1})
	require.NoError(t, err)
	require.Empty(t, found)
}

// Every code says when it is found, what happens then and what to do. The gravest stand first.
func TestCodes(t *testing.T) {
	all := diagnosis.Codes().All()
	require.EqualValues(t, "storm", all[0].Code)
	require.EqualValues(t, "victim", all[len(all)-1].Code)
	for _, m := range all {
		require.NotEmpty(t, m.Rule, m.Code)
		require.NotEmpty(t, m.Effect, m.Code)
		require.NotEmpty(t, m.Repair, m.Code)
	}
}

// Any counters are refused, or diagnosed without a panic and with the same result twice.
func FuzzDiagnose(f *testing.F) {
	f.Add(int64(1), int64(1), int64(1), int64(1), int64(1), int64(1), int64(unit.Second), int64(unit.Gbps))
	f.Add(int64(0), int64(1<<56), int64(0), int64(1<<56), int64(1<<56), int64(1<<56), int64(1), int64(1))
	f.Add(int64(-1), int64(1<<63-1), int64(0), int64(0), int64(0), int64(1<<63-1), int64(0), int64(0))
	f.Fuzz(func(t *testing.T, sent, received, drops, in, out, paused, at, rate int64) {
		before, after := readings(diagnosis.Counters{PauseSent: sent, PauseReceived: received, Drops: drops,
			BytesIn: unit.Bytes(in), BytesOut: unit.Bytes(out), PausedTime: unit.Time(paused)})
		after.At, after.Ports[0].Rate = unit.Time(at), unit.BitRate(rate)
		found, err := diagnosis.Diagnose(before, after)
		again, _ := diagnosis.Diagnose(before, after)
		require.Equal(t, found, again)
		require.True(t, err == nil || found == nil)
		for _, f := range found {
			for _, n := range f.Evidence {
				require.GreaterOrEqual(t, n.Value, int64(0), "%v", n)
			}
		}
	})
}

// A port whose headroom is too small for its cable: it pauses, and loses frames.
func Example() {
	port := diagnosis.Port{Name: "Ethernet1/8", Rate: 100 * unit.Gbps, Lossless: pfc.Of(3)}
	before := diagnosis.Snapshot{Ports: []diagnosis.Port{port}}
	port.Classes[3] = diagnosis.Counters{PauseSent: 812, Drops: 96, BytesIn: 8_000_000_000}
	after := diagnosis.Snapshot{At: unit.Second, Ports: []diagnosis.Port{port}}

	found, err := diagnosis.Diagnose(before, after)
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range found {
		fmt.Println(f.Port, "class", f.Class, f.Code, f.Evidence)
		fmt.Println(f.Repair)
	}
	// Output:
	// Ethernet1/8 class 3 headroom [pause_sent 812 frames drops 96 frames use_in 64.00%]
	// raise the headroom of this port and class: the cable, the MTU or the peer's response time is more than it was sized for
}
