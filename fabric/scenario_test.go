package fabric_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// locks runs the scenario of a fabric's circle.
func locks(t *testing.T, text string) (locked bool, d report.FabricDocument, err error) {
	t.Helper()
	f, err := fabric.Read("fabric.yaml", []byte(text))
	require.NoError(t, err, text)
	d, err = f.Deadlock(t.Context())
	require.NoError(t, err)
	data, err := f.Scenario(&d)
	if err != nil {
		return false, d, err
	}
	return ends(t, data), d, nil
}

// ends tells whether a scenario ends locked.
func ends(t *testing.T, data []byte) bool {
	t.Helper()
	s, err := scenario.Read("circle.yaml", data, nil)
	require.NoError(t, err, string(data))
	r, err := s.Run(t.Context(), scenario.Options{Until: unit.Millisecond})
	require.NoError(t, err)
	return r.InDeadlock
}

const ring = "switches: [A, B, C, D]\ncables: [[A, B], [B, C], [C, D], [D, A]]\n"

// Two flows in a ring run, though they have a circle; a third flow locks it (Hu et al., HotNets 2016). The ways of a
// leaf-spine fabric with two cables down lock.
func TestScenarios(t *testing.T) {
	for _, c := range []struct {
		name, text string
		locked     bool
	}{
		{"two flows", ring + "routes: {paths: [A B C D, C D A B], priority: 3}", false},
		{"three flows", ring + "routes: {paths: [A B C D, C D A B, B C], priority: 3}", true},
		{"leaf-spine", "generate: {leaf-spine: {leaves: 4, spines: 2}}\ndown: [[leaf1, spine1], [leaf4, spine2]]\n" +
			"routes: {rule: shortest, between: [leaf*], priority: 3}", true},
	} {
		locked, d, err := locks(t, c.text)
		require.NoError(t, err)
		require.Equal(t, "can-lock", d.Verdict)
		require.Equal(t, c.locked, locked, c.name)
	}
}

// What the simulator cannot show is said.
func TestNoScenario(t *testing.T) {
	const pair = "switches: [U, T1, A, B]\ncables: [[U, T1], [T1, A], [T1, B]]\n"
	for _, c := range []struct{ text, want string }{
		{ring + "routes: {paths: [A B C], priority: 3}", "no circle"},
		{pair + "routes: {paths: [U T1 A T1 B, U T1 B T1 A], priority: 3}", "passes T1 twice"},
		{ring + "routes: {priority: 3, paths: [{nodes: A B C D, priorities: [3, 4, 3]}, {nodes: C D A B, priorities: [3, 3, 3]}," +
			" {nodes: D A B C D, priorities: [3, 3, 4, 3]}]}", "several priorities"},
		{ring + "routes: [{paths: [A B], priority: 3}, {flood: [A, B, C, D], priority: 3}]", "flooded"},
	} {
		_, _, err := locks(t, c.text)
		require.ErrorContains(t, err, c.want, c.text)
	}
}

// Every simulated lock is a circle: of random paths with a flow at line rate each, those that lock have one. How many
// of the circles lock is counted: CELLWARDEN_CIRCLES is the number of fabrics that are drawn.
func TestEverySimulatedLockIsACircle(t *testing.T) {
	fabrics := 25
	if text := os.Getenv("CELLWARDEN_CIRCLES"); text != "" {
		var err error
		fabrics, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	circles, locked := 0, 0
	for seed := range fabrics {
		text := randomPaths(rand.New(rand.NewPCG(uint64(seed), 5)))
		f, err := fabric.Read("fabric.yaml", []byte(text))
		require.NoError(t, err, text)
		d, err := f.Deadlock(t.Context())
		require.NoError(t, err)
		if ends(t, f.AllPaths()) {
			require.Equal(t, "can-lock", d.Verdict, text)
			locked++
		}
		if d.CanLock() {
			circles++
		}
	}
	t.Logf("%d of %d fabrics have a circle, and %d of these lock within 1 ms", circles, fabrics, locked)
	require.Greater(t, circles, locked-1)
	require.Positive(t, locked)
}

// randomPaths is a ring of switches with chords, and paths over up to five of its cables, most of them the same way
// round.
func randomPaths(random *rand.Rand) string {
	n := 4 + random.IntN(4)
	var cables, paths []string
	for v := range n {
		cables = append(cables, fmt.Sprintf("[n%d, n%d]", v, (v+1)%n))
	}
	chords := map[int]bool{}
	for v := 2; v < n-1; v++ {
		if chords[v] = random.IntN(3) == 0; chords[v] {
			cables = append(cables, fmt.Sprintf("[n0, n%d]", v))
		}
	}
	for range 2 + random.IntN(6) {
		at, step := random.IntN(n), 1
		if random.IntN(4) == 0 {
			step = n - 1
		}
		seen, path := map[int]bool{}, []string{}
		for range 2 + random.IntN(4) {
			seen[at] = true
			path = append(path, fmt.Sprintf("n%d", at))
			next := (at + step) % n
			if at == 0 && random.IntN(2) == 0 {
				for v := range n {
					if chords[v] {
						next = v
					}
				}
			}
			if seen[next] {
				break
			}
			at = next
		}
		if len(path) > 1 {
			paths = append(paths, strings.Join(path, " "))
		}
	}
	if len(paths) == 0 {
		paths = []string{"n0 n1"}
	}
	return fmt.Sprintf("switches: [{range: n0-%d}]\ncables: [%s]\nroutes: {paths: [%s], priority: 3}\n", n-1,
		strings.Join(cables, ", "), strings.Join(paths, ", "))
}
