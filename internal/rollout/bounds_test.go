package rollout

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/unit"
)

// Bounds are read and printed in one form; what is none is refused, and changes nothing.
func TestBounds(t *testing.T) {
	b := Strictest()
	require.NoError(t, b.Set("drops=3,paused=50%"))
	require.NoError(t, b.Set("flaps=2"))
	require.Equal(t, "drops=3,storms=0,paused=50%,headroom=100%,flaps=2", b.String())
	for _, text := range []string{"", "drops", "drops=-1", "drops=1%", "paused=0%", "paused=5", "headroom=101%", "losses=1", "flaps=1,x=2"} {
		was := b
		require.ErrorContains(t, b.Set(text), "want", text)
		require.Equal(t, was, b)
	}
}

// Each count is within its bound or is found with it.
func TestJudge(t *testing.T) {
	grants := []diagnosis.Grant{{Port: "e1", Group: 3, Rate: 100 * unit.Gbps, Headroom: 1000}}
	at := func(seconds, drops, storms int64, paused unit.Time, watermark unit.Bytes, flaps int64) Counted {
		return Counted{Flaps: map[string]int64{"e1": flaps}, Sample: diagnosis.Sample{At: unit.Given(unit.Time(seconds) * unit.Second),
			Groups: []diagnosis.GroupSample{{Port: "e1", Group: 3, Drops: unit.Given(drops), Storms: unit.Given(storms),
				Paused: unit.Given(paused), Headroom: unit.Given(watermark)}}}}
	}
	was := at(0, 10, 1, 0, 0, 4)
	now := at(10, 12, 2, 6*unit.Second, 900, 6)
	b := Strictest()
	findings, unknown, uncounted := b.Judge(grants, &was, now)
	require.Empty(t, unknown)
	require.Empty(t, uncounted)
	require.Equal(t, []string{"drops: group 3 of e1 has lost 2 frames (at most 0)", "storms: group 3 of e1 had 1 (at most 0)",
		"flaps: e1 went up or down 2 times (at most 0)"}, findings)
	require.NoError(t, b.Set("drops=2,storms=1,flaps=2"))
	findings, _, _ = b.Judge(grants, &was, now)
	require.Empty(t, findings)
	require.NoError(t, b.Set("paused=50%,headroom=80%"))
	findings, _, _ = b.Judge(grants, &was, now)
	require.Len(t, findings, 2)
	require.Regexp(t, "^storm: ", findings[0])
	require.Equal(t, "headroom: group 3 of e1 has used 90% of its headroom (at most 80%)", findings[1])
	// What is not counted is not 0: of drops, and of a bound that was set, it must be known.
	now.Sample.Groups[0].Drops = unit.Optional[int64]{}
	now.Sample.Groups[0].Storms, now.Flaps = unit.Optional[int64]{}, nil
	_, unknown, uncounted = b.Judge(grants, &was, now)
	require.Equal(t, []string{"drops: not counted of 1 of 1 lossless groups",
		"storms: not counted of 1 of 1 lossless groups", "flaps: not counted of 1 of 1 ports"}, unknown)
	require.Empty(t, uncounted)
	_, unknown, uncounted = Strictest().Judge(grants, &was, now)
	require.Equal(t, []string{"drops: not counted of 1 of 1 lossless groups"}, unknown)
	require.Equal(t, []string{"storms: not counted of 1 of 1 lossless groups", "flaps: not counted of 1 of 1 ports"},
		uncounted)
	// One reading says what is not counted, and no more.
	findings, unknown, _ = Strictest().Judge(grants, nil, now)
	require.Empty(t, findings)
	require.Equal(t, []string{"drops: not counted of 1 of 1 lossless groups"}, unknown)
	_, unknown, _ = Strictest().Judge(grants, nil, was)
	require.Empty(t, unknown)
}
