package peers

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

func load(t *testing.T, dir string) *Scenario {
	data, err := os.ReadFile(filepath.Join(dir, "scenario.json"))
	require.NoError(t, err)
	s, err := Parse("scenario.json", data)
	require.NoError(t, err)
	return s
}

// The event logs of the other simulators are reproduced row by row.
func TestTraces(t *testing.T) {
	testTraces(t, "*-S*", 8)
}

// Hosts send and receive, with several flows of two priorities each. The flows
// of a host are served in the order in which they started.
func TestBidirectionalTraces(t *testing.T) { testTraces(t, "*-B*", 2) }

func testTraces(t *testing.T, pattern string, count int) {
	dirs, err := filepath.Glob(filepath.Join("testdata", pattern))
	require.NoError(t, err)
	require.Len(t, dirs, count)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			s := load(t, dir)
			rule, err := NewRule(s.RuleName(), s)
			require.NoError(t, err)
			var got bytes.Buffer
			r, err := Run(context.Background(), s, rule, &got)
			require.NoError(t, err)
			require.True(t, r.Complete)
			want := golden(t, dir)
			compare(t, want, got.String())
		})
	}
}

func golden(t *testing.T, dir string) string {
	f, err := os.Open(filepath.Join(dir, "events.csv.gz"))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(data)
}

// compare names the first row that differs.
func compare(t *testing.T, want, got string) {
	w, g := strings.Split(strings.ReplaceAll(want, "\r", ""), "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		require.Equal(t, w[i], g[i], "line %d", i+1)
	}
	require.Len(t, g, len(w))
}

// large is the symmetric incast of which only the counters are known: all
// links alike, all start together, so that ties decide.
func large(n int) *Scenario {
	s := &Scenario{Name: fmt.Sprint(n), Model: "hpcc", Hosts: n + 1, Ports: n + 1, Rate: 100 * unit.Gbps,
		Payload: 1000, Header: 48, PauseFrame: 43,
		Buffer: 33554432, Headroom: 30956, XONOffset: 3072, Reserve: 4096, Stop: unit.Second,
		Delay: make([]unit.Time, n+1)}
	for h := range s.Delay {
		s.Delay[h] = unit.Microsecond
	}
	for h := range n {
		s.Flows = append(s.Flows, Flow{h, n, 3, 10e6, unit.Microsecond})
	}
	return s
}

func TestLarge(t *testing.T) {
	for _, c := range []struct {
		senders       int
		packets, xoff int64
		headroom      unit.Bytes
		last          unit.Time
	}{
		{16, 160000, 4256, 26200, 13417483840},
		{64, 640000, 16122, 26200, 53660683840},
	} {
		t.Run(fmt.Sprint(c.senders), func(t *testing.T) {
			if testing.Short() && c.senders > 16 {
				t.Skip("a second of simulation")
			}
			s := large(c.senders)
			s.Alpha = big.NewRat(1, 8)
			rule, err := NewRule("hpcc", s)
			require.NoError(t, err)
			r, err := Run(context.Background(), s, rule, nil)
			require.NoError(t, err)
			require.Equal(t, c.packets, r.Delivered)
			require.Equal(t, c.xoff, r.PauseSent)
			require.Equal(t, c.xoff, r.ResumeSent)
			require.Zero(t, r.Drops)
			require.Equal(t, c.headroom, r.MaxHeadroom)
			require.Equal(t, c.last, r.LastDelivery)
		})
	}
}

func FuzzParse(f *testing.F) {
	dirs, _ := filepath.Glob(filepath.Join("testdata", "*-S*"))
	for _, dir := range dirs {
		data, err := os.ReadFile(filepath.Join(dir, "scenario.json"))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(`{"hosts":2,"ports":3,"alpha":"1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("fuzz", data)
		if err != nil || s.Hosts > 8 || len(s.Flows) > 8 {
			return
		}
		s.Stop = min(s.Stop, 5*unit.Microsecond)
		for _, name := range Names() {
			rule, err := NewRule(name, s)
			require.NoError(t, err)
			_, err = Run(context.Background(), s, rule, io.Discard)
			require.NoError(t, err)
		}
	})
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ from, to, says string }{
		"unknown key": {`"hosts"`, `"guests"`, "guests"},
		"no rate": {`"link_rate_bps": 100000000000`, `"link_rate_bps": 0`,
			"link_rate_bps: 0 (want 1000000 to"},
		"missing host":   {`"dst": 3`, `"dst": 9`, "flows[0].dst: 9 (want 0 to 3)"},
		"alpha":          {`"alpha": 0.125`, `"alpha": 0`, "alpha"},
		"text for hosts": {`"hosts": 4`, `"hosts": "4"`, "line 11"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "hpcc-S1_2to1", "scenario.json"))
			require.NoError(t, err)
			require.Contains(t, string(data), c.from)
			_, err = Parse("bad.json", []byte(strings.Replace(string(data), c.from, c.to, 1)))
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "bad.json")
		})
	}
}
