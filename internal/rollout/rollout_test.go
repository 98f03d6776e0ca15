package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// fabricOf is a leaf-spine fabric whose leaves are pairs with common hosts, and whose spines are of two planes.
func fabricOf(leaves, spines int) (all []*fabric.Switch) {
	for i := range leaves {
		s := &fabric.Switch{Name: fmt.Sprintf("leaf%d", i), Role: "leaf"}
		if other := i ^ 1; other < leaves {
			s.Peers = []string{fmt.Sprintf("leaf%d", other)}
		}
		all = append(all, s)
	}
	for i := range spines {
		all = append(all, &fabric.Switch{Name: fmt.Sprintf("spine%d", i), Role: "spine", Plane: fmt.Sprint(i % 2)})
	}
	return all
}

// The rules of waves hold for random fabrics and ties: every switch once, no peers and no two planes together, one of
// each role first, and a tie that is kept in one wave.
func TestWaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		all := fabricOf(1+rng.IntN(20), rng.IntN(10))
		var ties [][2]string
		for range rng.IntN(4) {
			ties = append(ties, [2]string{all[rng.IntN(len(all))].Name, all[rng.IntN(len(all))].Name})
		}
		waves, cut := Waves(all, ties, Limits{Second: 10, Later: 25})
		at, byName := map[string]int{}, map[string]*fabric.Switch{}
		for _, s := range all {
			byName[s.Name] = s
		}
		for n, wave := range waves {
			require.NotEmpty(t, wave)
			planes, roles := map[string]bool{}, map[string]int{}
			for _, name := range wave {
				_, twice := at[name]
				require.False(t, twice)
				at[name] = n
				roles[byName[name].Role]++
				if p := byName[name].Plane; p != "" {
					planes[p] = true
				}
				for _, peer := range byName[name].Peers {
					require.NotContains(t, wave, peer)
				}
			}
			require.LessOrEqual(t, len(planes), 1)
			if n == 0 && len(ties) == 0 {
				require.LessOrEqual(t, max(roles["leaf"], roles["spine"]), 1)
			}
		}
		require.Len(t, at, len(all))
		for _, tie := range ties {
			require.True(t, slices.Contains(cut, tie) || at[tie[0]] == at[tie[1]], tie)
		}
	}
}

// bench is switches without a network. Each has the stage that it is at.
type bench struct {
	mu    sync.Mutex
	has   map[string]int
	fault map[string]string // by name: refuses, silent, drops, unsure
	sent  int
	// half are switches of which a push was killed: the next push or undo finishes it.
	half map[string]bool
	kill func() bool // tells whether the run is killed at a push
	dead bool
}

var errKilled = errors.New("killed")

func (b *bench) Differs(_ context.Context, name string, stage int) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fault[name] == "silent" && b.has[name] > 0 {
		return "", errors.New("no answer")
	}
	if b.has[name] != stage || b.half[name] {
		return "1 difference", nil
	}
	return "", nil
}

func (b *bench) Send(_ context.Context, name string, stage int) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent++
	switch b.fault[name] {
	case "refuses":
		return "", fmt.Errorf("refused: %w", ErrAsBefore)
	case "unsure":
		return "", errors.New("the connection was lost")
	}
	if b.kill != nil && b.kill() {
		b.half[name], b.dead = true, true
		return "", errKilled
	}
	b.has[name], b.half[name] = stage, false
	return "PFC", nil
}

func (b *bench) Undo(_ context.Context, name string, stage int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.has[name] == stage || b.half[name] {
		b.has[name], b.half[name] = stage-1, false
	}
	return nil
}

func (b *bench) Read(_ context.Context, name string, _ int) (Counted, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Counted{Flaps: map[string]int64{"has": int64(b.has[name])}}, nil
}

func (b *bench) Judge(name string, _ int, before *Counted, after Counted) (findings, unknown, uncounted []string) {
	switch b.fault[name] {
	case "drops":
		if before != nil && before.Flaps["has"] != after.Flaps["has"] {
			return []string{"headroom: 5 frames lost"}, nil, nil
		}
	case "always":
		return map[bool][]string{true: {"headroom: 5 frames lost"}}[before != nil], nil, nil
	case "deaf":
		return nil, []string{"drops are not counted"}, nil
	}
	return nil, nil, nil
}

// run runs waves over a bench, and is killed at the n-th write of the state; 0: never.
func (b *bench) run(t *testing.T, saved []byte, at int) ([]byte, error) {
	s := &Progress{}
	require.NoError(t, json.Unmarshal(saved, s))
	writes := 0
	err := Run(t.Context(), s, b, Options{Parallel: 1, Soak: time.Minute, Say: func(int, string) {},
		Wait:      func(context.Context, time.Duration) error { return nil },
		Untouched: func(int) []string { return nil },
		Peers:     func(_ string, untouched []string) []string { return untouched[:min(1, len(untouched))] },
		Save: func(s *Progress) error {
			if b.dead {
				return errKilled
			}
			text, err := json.Marshal(s)
			require.NoError(t, err)
			if writes++; writes == at {
				return errKilled
			}
			saved = text
			return err
		}})
	return saved, err
}

// begin is the state of a run over the fabric in two stages, and a bench of it.
func begin(t *testing.T) ([]byte, *bench) {
	all := fabricOf(6, 2)
	s := &Progress{}
	for stage := 1; stage <= 2; stage++ {
		waves, _ := Waves(all, nil, Limits{Second: 10, Later: 50})
		for _, names := range waves {
			w := Wave{Stage: stage, State: Waiting}
			for _, name := range names {
				w.Switches = append(w.Switches, Member{Name: name, State: Waiting})
			}
			s.Waves = append(s.Waves, w)
		}
	}
	text, err := json.Marshal(s)
	require.NoError(t, err)
	return text, &bench{has: map[string]int{}, fault: map[string]string{}, half: map[string]bool{}}
}

// read reads a state.
func read(t *testing.T, text []byte) (s Progress) {
	require.NoError(t, json.Unmarshal(text, &s))
	return s
}

// A run that is killed at any write of its state, or in any push, goes on and ends as one that was not.
func TestKilledAnywhere(t *testing.T) {
	saved, b := begin(t)
	saved, err := b.run(t, saved, 0)
	require.NoError(t, err)
	require.Equal(t, Successful, read(t, saved).Verdict)
	require.Equal(t, "PFC", read(t, saved).Waves[0].Switches[0].NotSent)
	pushes := b.sent
	require.Equal(t, 16, pushes)
	for at := 1; ; at++ {
		saved, b := begin(t)
		saved, err := b.run(t, saved, at)
		if err == nil {
			require.Greater(t, at, 40)
			break
		}
		saved, err = b.run(t, saved, 0)
		require.NoError(t, err)
		require.Equal(t, Successful, read(t, saved).Verdict, at)
		for name, stage := range b.has {
			require.Equal(t, 2, stage, name)
		}
	}
	for at := range pushes {
		saved, b := begin(t)
		n := 0
		b.kill = func() bool { n++; return n == at+1 }
		saved, err := b.run(t, saved, 0)
		require.ErrorIs(t, err, errKilled)
		b.dead, b.kill = false, nil
		saved, err = b.run(t, saved, 0)
		require.NoError(t, err)
		require.Equal(t, Successful, read(t, saved).Verdict)
		require.Empty(t, slices.DeleteFunc([]bool{b.half["leaf0"], b.half["spine0"]}, func(is bool) bool { return !is }))
	}
}

// Faults of any switch stop the run as they should: what failed is undone with its wave alone, and what is not known
// stops.
func TestFaults(t *testing.T) {
	for fault, want := range map[string]Verdict{"refuses": Failed, "drops": Failed, "silent": Inconclusive, "unsure": Inconclusive,
		"deaf": Inconclusive} {
		for _, name := range []string{"leaf0", "leaf3", "leaf5", "spine0", "spine1"} {
			saved, b := begin(t)
			b.fault[name] = fault
			saved, err := b.run(t, saved, 0)
			require.NoError(t, err)
			s := read(t, saved)
			require.Equal(t, want, s.Verdict, "%s %s", fault, s.Why)
			require.Contains(t, s.Why, name)
			if fault == "deaf" { // it is known before anything is sent
				require.Contains(t, s.Why, "nothing was sent to it: drops are not counted")
				require.Zero(t, b.has[name])
			}
			past := false
			for _, w := range s.Waves {
				here := slices.ContainsFunc(w.Switches, func(m Member) bool { return m.Name == name })
				for _, m := range w.Switches {
					switch {
					case past: // no wave after it was begun
						require.Equal(t, Waiting, m.State)
					case here && want == Failed: // the whole wave is as before
						require.Less(t, b.has[m.Name], w.Stage, m.Name)
					case !here:
						require.Equal(t, Checked, m.State)
					}
				}
				past = past || here
			}
			// The same again: a failed run stays failed, and nothing is sent.
			before := b.sent
			saved, err = b.run(t, saved, 0)
			require.NoError(t, err)
			if want == Failed {
				require.Equal(t, Failed, read(t, saved).Verdict)
				require.Equal(t, before, b.sent)
			}
		}
	}
	// What untouched switches show as well is nobody's fault that a run could tell.
	saved, b := begin(t)
	for i := range 6 {
		b.fault[fmt.Sprintf("leaf%d", i)] = "always"
	}
	saved, err := b.run(t, saved, 0)
	require.NoError(t, err)
	require.Equal(t, Inconclusive, read(t, saved).Verdict)
	require.Contains(t, read(t, saved).Why, "which was not changed")
	// A switch that is not as before is not sent to.
	saved, b = begin(t)
	b.has["leaf0"] = 7
	saved, err = b.run(t, saved, 0)
	require.NoError(t, err)
	require.Equal(t, Inconclusive, read(t, saved).Verdict)
	require.Contains(t, read(t, saved).Why, "nothing was sent to it")
	require.Equal(t, 7, b.has["leaf0"])
}

// An undo that is killed at any write goes on, and ends with the wave as before.
func TestKilledWhileUndoing(t *testing.T) {
	effort.SkipShort(t, "many runs")
	for at := 1; ; at++ {
		saved, b := begin(t)
		b.fault["leaf2"] = "drops"
		saved, err := b.run(t, saved, at)
		if err == nil {
			require.Equal(t, Failed, read(t, saved).Verdict)
			break
		}
		saved, err = b.run(t, saved, 0)
		require.NoError(t, err)
		s := read(t, saved)
		require.Equal(t, Failed, s.Verdict, s.Why)
		require.Equal(t, 0, b.has["leaf2"])
	}
}

// A tie between peers is cut alone: the other ties of their switches are kept.
func TestTiesOfPeers(t *testing.T) {
	all := []*fabric.Switch{{Name: "leaf1", Role: "leaf", Peers: []string{"leaf2"}}, {Name: "leaf2", Role: "leaf"},
		{Name: "spine1", Role: "spine"}, {Name: "spine2", Role: "spine"}}
	waves, cut := Waves(all, [][2]string{{"leaf1", "leaf2"}, {"leaf1", "spine2"}, {"leaf2", "spine1"}}, Limits{10, 25})
	require.Equal(t, [][]string{{"leaf1", "spine2"}, {"leaf2", "spine1"}}, waves)
	require.Equal(t, [][2]string{{"leaf1", "leaf2"}}, cut)
}
