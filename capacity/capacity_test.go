package capacity_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// topologies is how many random intents are asked: go test ./capacity -topologies 1000
var topologies = flag.Int("topologies", 25, "random intents whose answers are planned")

// entriesOf puts ports of one kind that stand side by side into an entry.
func entriesOf(in buffer.Intent) (out []capacity.Entry) {
	for i := range in.Ports {
		p := in.Ports[i]
		if n := len(out); n > 0 {
			first := in.Ports[out[n-1].First]
			if first.Name, first.Pipe = p.Name, p.Pipe; first == p {
				out[n-1].Count++
				continue
			}
		}
		out = append(out, capacity.Entry{Text: p.Name, First: i, Count: 1})
	}
	return out
}

func planFits(t *testing.T, in buffer.Intent) bool {
	t.Helper()
	plan, err := buffer.New(in)
	if err != nil {
		return false
	}
	return plan.Fits
}

// check plans an answer, and the step beyond it.
func check(t *testing.T, what string, a *capacity.Answer) {
	t.Helper()
	switch {
	case a.State == capacity.NotAsked:
		require.NotEmpty(t, a.Why, what)
		return
	case a.Question == capacity.Placement:
		trial, err := buffer.NewAdmission(a.At())
		require.NoError(t, err, what)
		require.EqualValues(t, a.Amount, trial.Fitting(), what)
		return
	case a.State == capacity.Found:
		require.True(t, planFits(t, a.At()), "%s: %s %s does not fit", what, a.Question, a.Value())
	}
	require.NotEmpty(t, a.Binding.Limit, what)
	switch {
	case len(a.Beyond().Ports) == 0:
		require.NotEqual(t, capacity.Memory, a.Binding.Limit, what)
	case a.Question == capacity.Ratio && a.State == capacity.Found:
		trial, err := buffer.NewAdmission(a.Beyond())
		require.NoError(t, err, what)
		require.Less(t, trial.PoolPart(), trial.WorstHeadroom(), what)
	default:
		require.False(t, planFits(t, a.Beyond()), "%s: %s fits beyond %s", what, a.Question, a.Value())
	}
}

// Every answer fits, and one step further is refused.
func TestAnswersOfRandomIntents(t *testing.T) {
	effort.SkipShort(t, "it answers each question about random intents")
	states := map[capacity.Question]map[capacity.Outcome]int{}
	for seed := range uint64(*topologies) {
		in := golden.Random(rand.New(rand.NewPCG(seed, 14)))
		answers, err := capacity.Ask(in, entriesOf(in))
		if err != nil {
			continue // the method cannot size it
		}
		for i := range answers {
			a := &answers[i]
			check(t, fmt.Sprintf("seed %d, %s %s", seed, a.Question, a.Ports), a)
			if states[a.Question] == nil {
				states[a.Question] = map[capacity.Outcome]int{}
			}
			states[a.Question][a.State]++
		}
	}
	require.Len(t, states, len(capacity.Questions()))
	t.Logf("%d intents: %v", *topologies, states)
}

// leaf is a switch with 48 ports over 5 m and 16 over 300 m.
func leaf(chip string) buffer.Intent {
	c, err := asic.Load(chip)
	if err != nil {
		panic(err)
	}
	in := buffer.Intent{Chip: c, Sizing: thresholds.IEEE{}, Classes: []buffer.Class{
		{Name: "rdma", Priorities: []int{3}, Lossless: true, MTU: 4096}, {Name: "rest", Priorities: []int{0, 1, 2, 4}}}}
	for i := range 64 {
		p := buffer.Port{Name: fmt.Sprintf("Ethernet%d", i+1), Rate: 400 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216}
		if i >= 48 {
			p.Cable = 300 * unit.Metre
		}
		in.Ports = append(in.Ports, p)
	}
	return in
}

func TestConstraintsAreNamed(t *testing.T) {
	in := leaf("tomahawk4")
	entries := entriesOf(in)
	require.Len(t, entries, 2)
	in.SharedFloor = 20 * unit.OnePercent
	answers, err := capacity.Ask(in, entries, capacity.Cable)
	require.NoError(t, err)
	require.Len(t, answers, 2)
	for _, a := range answers {
		require.Equal(t, capacity.SharedFloor, a.Binding.Limit, "%v", a.Binding)
		require.Equal(t, capacity.Memory, a.Next.Limit, "without the floor the memory binds: %v", a.Next)
		require.Greater(t, a.NextAmount, a.Amount)
	}
	// Without a lossless class there is nothing to ask, and it is said.
	in.Classes[0].Lossless = false
	answers, err = capacity.Ask(in, entries, capacity.Classes, capacity.Pool, capacity.Ratio, capacity.Frame)
	require.NoError(t, err)
	for _, a := range answers {
		require.Equal(t, capacity.NotAsked, a.State)
		require.Equal(t, "-", a.Value())
	}
}

// The ports of an entry that the plan admits are the most that fit beside the others.
func TestMostPortsAreThoseThatThePlanAdmits(t *testing.T) {
	in := leaf("tomahawk4")
	for i := 48; i < 64; i++ {
		in.Ports[i].Cable = 10 * unit.Kilometre
	}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	answers, err := capacity.Ask(in, entriesOf(in), capacity.Ports)
	require.NoError(t, err)
	require.EqualValues(t, 16-len(plan.Refusals), answers[1].Amount)
	require.Equal(t, capacity.Memory, answers[1].Binding.Limit)
}

func Example() {
	in := leaf("tomahawk4")
	entries := []capacity.Entry{
		{Text: "Ethernet1-48", First: 0, Count: 48},
		{Text: "Ethernet49-64", First: 48, Count: 16},
	}
	answers, err := capacity.Ask(in, entries, capacity.CableAll)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range answers {
		fmt.Println(a.Question, a.Ports, a.Value(), a.Binding)
	}
	// Output:
	// cable-all  953m memory: Ethernet60: group 3 needs 7,234 cells in slice 1 and has 7,192: 42 short
}

func BenchmarkAsk512Ports(b *testing.B) {
	in := leaf("tomahawk4")
	in.Chip.Ports, in.Chip.Bandwidth = 0, 0
	for i := len(in.Ports); i < 512; i++ {
		p := in.Ports[i%64]
		p.Rate, p.Name = 50*unit.Gbps, fmt.Sprintf("Ethernet%d", i+1)
		in.Ports = append(in.Ports, p)
	}
	for i := range in.Ports {
		in.Ports[i].Rate = 50 * unit.Gbps
	}
	entries := []capacity.Entry{{"a", 0, 256}, {"b", 256, 256}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := capacity.Ask(in, entries); err != nil {
			b.Fatal(err)
		}
	}
}

// A method that asks for less fits more, and one that cannot size the switch says so.
func TestCompare(t *testing.T) {
	in := leaf("tomahawk4")
	worst := capacity.Compare(in, thresholds.IEEE{})
	large := capacity.Compare(in, thresholds.IEEE{Mix: thresholds.Frames(4096)})
	require.True(t, worst.Fits)
	require.Greater(t, worst.Headroom, large.Headroom)
	require.Less(t, worst.Cable.Amount, large.Cable.Amount)
	require.Less(t, worst.Shared, large.Shared)
	require.Equal(t, "4096B", large.Mix)
	none := capacity.Compare(in, &table.Table{Name: "empty.ini"})
	require.ErrorContains(t, none.Err, "no row")
	require.False(t, none.Fits)
}
