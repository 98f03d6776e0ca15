package capacity_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// oneByOne makes an entry of each port.
func oneByOne(in buffer.Intent) (out []capacity.Entry) {
	for i := range in.Ports {
		out = append(out, capacity.Entry{Text: in.Ports[i].Name, First: i, Count: 1})
	}
	return out
}

// text is all that answers say.
func text(t *testing.T, answers []capacity.Answer) string {
	t.Helper()
	data, err := json.Marshal(answers)
	require.NoError(t, err)
	return string(data)
}

// requireSame fails unless answers say the same, and have the same ports at what they found and beyond it.
func requireSame(t *testing.T, want, got []capacity.Answer, name string) {
	t.Helper()
	require.Equal(t, text(t, want), text(t, got), name)
	for i := range want {
		a, b := &want[i], &got[i]
		require.True(t, slices.EqualFunc(a.At().Ports, b.At().Ports, samePort), "%s: the ports of answer %d", name, i)
		require.True(t, slices.EqualFunc(a.Beyond().Ports, b.Beyond().Ports, samePort), "%s: those beyond answer %d", name, i)
	}
}

// samePort compares ports, and the pipes that they point to.
func samePort(a, b buffer.Port) bool {
	pipe, other := a.Pipe, b.Pipe
	a.Pipe, b.Pipe = nil, nil
	return a == b && (pipe == other || pipe != nil && other != nil && *pipe == *other)
}

// Admissions that are asked again say the same as those that are made anew, for random intents and every way to divide
// their ports into entries.
func TestQuickAnswersAreThoseOfPlans(t *testing.T) {
	asked, alike := 0, 0
	first, end := effort.Seeds(200)
	for seed := first; seed < end; seed++ {
		rng := rand.New(rand.NewPCG(seed, 28))
		in := golden.Random(rng)
		if rng.IntN(2) == 0 && len(in.Ports) > 2 { // two that are alike and stand apart
			name := in.Ports[len(in.Ports)-1].Name
			in.Ports[len(in.Ports)-1] = in.Ports[0]
			in.Ports[len(in.Ports)-1].Name = name
			alike++
		}
		if in.Pool.SharedHeadroom == 0 && rng.IntN(3) == 0 {
			in.Pool.SharedHeadroomRatio = 1 + rng.IntN(6)
		}
		for _, entries := range [][]capacity.Entry{entriesOf(in), oneByOne(in)} {
			if len(entries) > 6 {
				entries = append(entries[:3:3], entries[len(entries)-3:]...)
			}
			quick, err := capacity.Ask(in, entries, capacity.Cable, capacity.CableAll, capacity.Ports)
			if err != nil {
				continue
			}
			slow, err := capacity.AskSlowly(in, entries, capacity.Cable, capacity.CableAll, capacity.Ports)
			require.NoError(t, err)
			requireSame(t, slow, quick, fmt.Sprint("seed ", seed))
			asked += len(quick)
		}
	}
	require.Greater(t, asked, 50)
	require.Positive(t, alike)
}

// many is a switch with 512 ports that are named one by one.
func many(t *testing.T, cable func(i int) unit.Length) buffer.Intent {
	c, err := asic.Load("tomahawk5")
	require.NoError(t, err)
	c.Ports = 512
	in := buffer.Intent{Chip: c, Sizing: thresholds.IEEE{}}
	for p := range 8 {
		in.Classes = append(in.Classes, buffer.Class{Name: fmt.Sprint("c", p), Priorities: []int{p}, Lossless: true,
			MTU: 4096})
	}
	for i := range 512 {
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("Ethernet%d", i), Rate: 100 * unit.Gbps, MTU: 9216,
			Cable: cable(i)})
	}
	return in
}

// A switch whose ports are named one by one, so that its entries are as many as its ports, has answers at once.
func TestPortsOneByOneAreCheap(t *testing.T) {
	for name, cable := range map[string]func(i int) unit.Length{
		"alike":     func(int) unit.Length { return 5 * unit.Metre },
		"different": func(i int) unit.Length { return unit.Length(i+1) * unit.Metre },
	} {
		in := many(t, cable)
		before := cpu(t)
		answers, err := capacity.Ask(in, oneByOne(in))
		took := cpu(t) - before
		require.NoError(t, err)
		require.Len(t, answers, 2*512+7)
		t.Logf("%s: %v of CPU", name, took)
		require.Less(t, took, budget[name], name)
	}
}

// budget is the CPU time for all answers of 512 ports. On a busy machine 50 and 120 ms were measured; when each step was
// planned, 256 ports took 2 and 9 s.
var budget = map[string]time.Duration{"alike": 200 * time.Millisecond, "different": 500 * time.Millisecond}

// cpu is the CPU time of the process.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// The questions end when the one who asks stops, and between two looks at that little is done.
func TestAskUntil(t *testing.T) {
	in := many(t, func(i int) unit.Length { return unit.Length(i+1) * unit.Metre })
	in.Pool.SharedHeadroomRatio = 4 // the pool depends on all ports, so that each step costs most
	stopped, looks := errors.New("stopped"), 0
	last, longest := cpu(t), time.Duration(0)
	_, err := capacity.AskUntil(func() error {
		looks++
		now := cpu(t)
		longest, last = max(longest, now-last), now
		if looks == 4000 {
			return stopped
		}
		return nil
	}, in, oneByOne(in))
	require.ErrorIs(t, err, stopped)
	require.Equal(t, 4000, looks, "it is not asked again")
	t.Logf("at most %v between two looks", longest)
	require.Less(t, longest, 100*time.Millisecond)
	for _, q := range capacity.Questions() { // each of them looks
		looks = 0
		answers, err := capacity.AskUntil(func() error { looks++; return stopped }, in, entriesOf(leaf("tomahawk4")), q)
		require.ErrorIs(t, err, stopped, q)
		require.Nil(t, answers)
		require.Equal(t, 1, looks, q)
	}
}
