package push

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two switches at a time, and the outcomes in the order of the file.
func ExampleEach() {
	targets, err := ParseTargets("switches.txt", []byte("leaf1:9339 # rack 1\nleaf2:9339 profile=sonic\n"))
	if err != nil {
		log.Fatal(err)
	}
	outcomes := Each(context.Background(), targets, 2, func(_ context.Context, i int, t Target) string {
		return fmt.Sprintf("%d %s profile=%q", i, t.Address, t.Profile)
	}, nil)
	for _, o := range outcomes {
		fmt.Println(o)
	}
	// Output:
	// 0 leaf1:9339 profile=""
	// 1 leaf2:9339 profile="sonic"
}

// Everything that is wrong with a file is named at once.
func TestParseRefuses(t *testing.T) {
	address := func(s string) (string, error) {
		if s == "?" {
			return "", errors.New("no address")
		}
		return s + ":9339", nil
	}
	profile := func(name string) error { return errors.New("no such profile: " + name) }
	_, err := parseTargets("f", []byte("a\n?\nb profile=x\nc speed=4\na # again\nd topology=\n"), address, profile)
	require.EqualError(t, err, `f: line 2: no address
f: line 3: no such profile: x
f: line 4: "speed=4": want prefix-target=NAME, profile=NAME, topology=FILE, each once
f: line 5: a is in line 1 already: want each switch once
f: line 6: "topology=": want prefix-target=NAME, profile=NAME, topology=FILE, each once`)
	_, err = parseTargets("f", []byte("# nothing\n"), address, profile)
	require.ErrorContains(t, err, "f: the file names no switch")
}

// No more are worked on at a time than was asked for, and each is reported once.
func TestEach(t *testing.T) {
	var now, most atomic.Int32
	done := map[int]int{}
	out := Each(t.Context(), make([]Target, 50), 3, func(_ context.Context, i int, _ Target) int {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		defer now.Add(-1)
		return i * i
	}, func(_, i, outcome int) { done[i] = outcome })
	require.LessOrEqual(t, most.Load(), int32(3))
	require.Len(t, done, 50)
	for i, o := range out {
		require.Equal(t, i*i, o)
		require.Equal(t, i*i, done[i])
	}
}

// A gateway has several switches at one address: each has a name of its own.
func TestParseGateway(t *testing.T) {
	address := func(s string) (string, error) { return strings.TrimSuffix(s, ":9339"), nil }
	targets, err := parseTargets("f", []byte("gw:9339 prefix-target=leaf1\ngw prefix-target=leaf2 profile=sonic\ngw\n"),
		address, anyProfile)
	require.NoError(t, err)
	require.Equal(t, []Target{{Address: "gw:9339", PrefixTarget: "leaf1"},
		{Address: "gw", PrefixTarget: "leaf2", Profile: "sonic"}, {Address: "gw"}}, targets)
	require.Equal(t, "gw:9339 (leaf1)", targets[0].String())
	require.Equal(t, "gw", targets[2].String())
	_, err = parseTargets("f", []byte("gw prefix-target=leaf1\ngw:9339 prefix-target=leaf1\nx prefix-target=\n"+
		"y prefix-target=a prefix-target=b\n"), address, anyProfile)
	require.EqualError(t, err, `f: line 2: gw:9339 (leaf1) is in line 1 already: want each switch once
f: line 3: "prefix-target=": want prefix-target=NAME, profile=NAME, topology=FILE, each once
f: line 4: "prefix-target=b": want prefix-target=NAME, profile=NAME, topology=FILE, each once`)
}

func anyAddress(s string) (string, error) { return s, nil }
func anyProfile(string) error             { return nil }
