package topology_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// reread reads what was written.
func reread(t *testing.T, w topology.Written) buffer.Intent {
	t.Helper()
	in, err := topology.Parse(
		"topology.yaml",
		w.Topology,
		func(path string) ([]byte, error) { return w.Files[path], nil },
	)
	require.NoError(t, err, "%s", w.Topology)
	return in
}

// The examples, written and read again, are the same intents and the same plans.
func TestExamplesRoundTrip(t *testing.T) {
	files, err := filepath.Glob("../examples/*.yaml")
	require.NoError(t, err)
	written := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		in, err := topology.Parse(file, data, os.ReadFile)
		if err != nil {
			continue // a probe or a chip
		}
		w, err := topology.Write(in)
		require.NoError(t, err, file)
		again, err := topology.Write(reread(t, w))
		require.NoError(t, err, file)
		require.Equal(t, string(w.Topology), string(again.Topology))
		a, err := buffer.New(in)
		require.NoError(t, err)
		b, err := buffer.New(reread(t, w))
		require.NoError(t, err)
		require.Equal(t, a.Layout(), b.Layout())
		require.Equal(t, report.PlanVerdict(a), report.PlanVerdict(b))
		written++
	}
	require.Greater(t, written, 4)
}

// Random intents: what Write does not refuse is read again as it was. Write checks it itself, so that a fault in it is
// a refusal; few are.
func TestRandomIntentsRoundTrip(t *testing.T) {
	effort.SkipShort(t, "it writes and reads many intents")
	written, refused := 0, map[string]int{}
	for seed := range uint64(300) {
		in := golden.Random(rand.New(rand.NewPCG(seed, 3)))
		w, err := topology.Write(in)
		if err != nil {
			text := err.Error()
			refused[text[:min(len(text), 60)]]++
			continue
		}
		written++
		require.Equal(t, in.Classes, reread(t, w).Classes)
		require.Equal(t, in.Ports, reread(t, w).Ports)
	}
	t.Log(written, refused)
	require.Greater(t, written, 200)
}

// Every method with every parameter.
func TestMethodsRoundTrip(t *testing.T) {
	data, err := os.ReadFile("../examples/leaf-400g.yaml")
	require.NoError(t, err)
	for _, c := range []struct {
		chip, method string
		options      method.Options
	}{
		{"tomahawk4", "ieee802.1qbb", method.Options{"frame": "64B:50%,1500B:50%", "delays": "larger",
			"interface_delay": "1.5us", "response_delay": "0ps"}},
		{"tomahawk4", "ieee802.1qbb", method.Options{"frame": "worst"}},
		{"tomahawk4", "juniper", method.Options{"mru": "4096B", "frame": "256B"}},
		{"tomahawk3", "broadcom-th3", method.Options{"frame": "64B"}},
		{"tomahawk4", "broadcom-delay", method.Options{"user_delay": "3us", "switch_delay": "500ns", "max_packet": "9000B"}},
		{"spectrum-3", "mlxsw", method.Options{"pfc_delay": "20000B", "lanes": "8"}},
		{"spectrum-3", "mlx5", nil},
		{"nexus-93180yc-fx", "cisco-practical", method.Options{"from": "50m", "buffer_size": "110000B"}},
		{"spectrum-4", "sonic-dynamic", nil},
		{"spectrum-4", "sonic-dynamic", method.Options{"cell": "200B", "peer_response": "3.8KiB", "lanes": "8",
			"small_packets": "20%", "gearbox_delay": "400ns", "variant": "older"}},
		{"spectrum-4", "sonic-dynamic", method.Options{"corrected": "false", "shared_headroom": "true"}},
		{"spectrum-4", "sonic-dynamic", method.Options{"corrected": "true"}},
	} {
		in, err := topology.Parse("leaf.yaml", data, os.ReadFile, topology.NewChange("chip", "tomahawk4"))
		require.NoError(t, err)
		in.Sizing, err = method.NewSizer(c.method, c.chip, c.options)
		require.NoError(t, err)
		options, err := method.OptionsOf(in.Sizing, c.chip)
		require.NoError(t, err, "%s %v", c.method, c.options)
		again, err := method.NewSizer(c.method, c.chip, options)
		require.NoError(t, err)
		require.Equal(t, in.Sizing, again)
	}
	in, err := topology.Parse("leaf.yaml", data, os.ReadFile)
	require.NoError(t, err)
	in.Sizing = thresholds.IEEE{Delays: thresholds.Delays{Response: []thresholds.RateDelay{{Rate: 1}}}}
	_, err = topology.Write(in)
	require.ErrorIs(t, err, topology.ErrNotWritable)
	in.Sizing = &table.Table{Rows: []table.Row{{StaticTh: unit.Given(unit.Bytes(82880))}}}
	_, err = topology.Write(in)
	require.ErrorIs(t, err, topology.ErrNotWritable, "a row of a pool in static mode")
	in.Sizing = thresholds.IEEE{}
	in.Ports[0].Delay = unit.Given(unit.Microsecond)
	_, err = topology.Write(in)
	require.ErrorIs(t, err, topology.ErrNotWritable, "a cable and a measured delay")
}

func ExampleWrite() {
	in, err := topology.Parse("leaf.yaml", []byte(twoEntries), os.ReadFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	in.Ports[4].Cable = 2 * unit.Kilometre
	w, err := topology.Write(in)
	fmt.Print(strings.TrimSpace(string(w.Topology)), "\n", err)
	// Output:
	// chip: tomahawk
	// headroom: {method: ieee802.1qbb, frame: "64B"}
	// classes:
	//   - {name: "rdma", priorities: [3], lossless: true, mtu: 4096B}
	// ports:
	//   - {range: "Ethernet1/1-4", speed: 100G, cable: 5m}
	//   - {name: "Ethernet1/5", speed: 100G, cable: 2km}
	// <nil>
}

// A keeper of a switch's ports saves what it has, restarts, and goes on where it was.
func ExampleWrite_keeper() {
	in, err := topology.Parse("leaf.yaml", []byte(twoEntries), os.ReadFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	keeper, err := buffer.NewManager(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	more := in.Ports[0]
	more.Name, more.Pipe = "Ethernet1/6", nil
	fmt.Println("admitted:", keeper.WhatIfAdmit(more) == nil && keeper.Admit(more) == nil)

	saved, err := topology.Write(keeper.Intent()) // to a file
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := topology.Parse("saved.yaml", saved.Topology, os.ReadFile) // after the restart
	if err != nil {
		fmt.Println(err)
		return
	}
	restarted, err := buffer.NewManager(again)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ports:", restarted.Len())
	fmt.Println("steps of the device:", len(buffer.Diff(keeper.Layout(), restarted.Layout())))
	// Output:
	// admitted: true
	// ports: 6
	// steps of the device: 0
}
