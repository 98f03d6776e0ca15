package eos_test

import (
	_ "embed" // for the configuration of testdata
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/eos"
)

// leaf is a configuration of our own, in the form that Arista's guide shows.
//
//go:embed testdata/leaf1.cfg
var leaf string

// It reads it: the first lines name the device, and with it the chip, so that headroom in bytes is known in cells.
func ExampleSystem_read() {
	data := []byte(leaf)
	reading, err := eos.System.Read("leaf1.cfg", data, audit.Chip{})
	if err != nil {
		panic(err)
	}
	how, _, _ := strings.Cut(reading.Chip.How, " (")
	fmt.Println(reading.Chip.Name, "is known by", how)
	what := audit.Run(audit.Source{File: "leaf1.cfg", Reading: reading}).What()
	for _, g := range what.Lossless {
		fmt.Println(g.Ports, g.Priorities, *g.XOFF, "bytes are", *g.Cells, "cells")
	}
	// Output:
	// tomahawk is known by product 7060CX-32S in line 2
	// Ethernet1/1 [3] 268736 bytes are 1292 cells
	// Ethernet2/1 [3 4] 268736 bytes are 1292 cells
}

// TestNothingIsWrong reads a good configuration: all statements about QoS are understood.
func TestNothingIsWrong(t *testing.T) {
	r := readertest.Run(t, eos.System.Read, leaf, "300m")
	require.Empty(t, r.Findings)
	require.Zero(t, r.What().Statements.Unread)
	require.Equal(t, "leaf1", r.Switch.Hostname)
	require.EqualValues(t, 1248, r.Switch.Ports[0].Groups[3].Profile.Size.Value)
	require.EqualValues(t, 0, r.Switch.Ports[0].Groups[3].Profile.DynamicTh.Value)
	require.EqualValues(t, -3, r.Switch.Ports[1].Groups[4].Profile.DynamicTh.Value)
	require.False(t, r.Switch.Ports[2].Paused)
}

// TestMistakes makes one mistake at a time.
func TestMistakes(t *testing.T) {
	readertest.Mistakes(t, eos.System.Read, leaf, []readertest.Mistake{
		readertest.Wrong("a profile is missing", "name-missing",
			`it names "ROCE", and there is no qos profile of this name`,
			"service-profile RDMA", "service-profile ROCE"),
		readertest.Wrong("a memory profile is missing", "name-missing",
			"there is no queue profile of this name",
			"profile roce apply", "profile rdma apply"),
		readertest.Wrong("PFC and no priority", "pfc-no-class",
			"PFC is on, and no class that the port has is without drops: "+
				"Ethernet1/1", "   priority-flow-control priority 3 no-drop\n", ""),
		readertest.Wrong("a priority and no PFC", "no-drop-no-pfc",
			"the port has classes without drops, and PFC is off: "+
				"Ethernet3/1", "   no priority-flow-control on\n", "   priority-flow-control priority 3 no-drop\n"),
		readertest.Wrong("no headroom", "no-drop-no-headroom",
			"ingress headroom is 0, and group 3 is without drops",
			"headroom bytes 268736", "headroom bytes 0"),
		readertest.Wrong("headroom below light", "headroom-below-flight",
			"100G over 1km: headroom 41600 is less than the 122500 bytes in flight: Ethernet1/1,Ethernet2/1 (2 ports)",
			"headroom bytes 268736", "headroom cells 200"),
		readertest.Wrong("bandwidths above 100", "bandwidth-sum",
			"bandwidth percent of all queues is 110 together",
			"bandwidth percent 60", "bandwidth percent 70"),
		readertest.Wrong("two classes in one queue", "pfc-class-drops",
			"traffic class 3, without drops, and traffic class 6 share queue 3", "6 to tx-queue 6", "6 to tx-queue 3"),
		readertest.Wrong("marking upside down", "wred-min-over-max",
			"min_threshold 150000 is above green_max_threshold 15000",
			"1500 kbytes", "15 kbytes"),
		readertest.Wrong("a threshold that is none", "number-format",
			`threshold is "1/9": want 1/128 to 8`,
			"threshold 1/8", "threshold 1/9"),
		readertest.Wrong("a statement that is not known", "statement-unread",
			"not understood: qos profile RDMA priority-flow-control colour 3", "   qos trust dscp\n",
			"   priority-flow-control colour 3\n"),
	})
}

// TestOpenConfig reads the priorities without drops. Whether PFC is on is not known.
func TestOpenConfig(t *testing.T) {
	const text = `{"openconfig-qos:qos": {"interfaces": {"interface": [{"interface-id": "Ethernet1/1",
		"config": {"interface-id": "Ethernet1/1"},
		"output": {"arista-qos-augments:pfc": {"config": {"priorities-no-drop": "18"}}}}]}}}`
	r := readertest.Run(t, eos.System.Read, text, "")
	require.Empty(t, r.Findings)
	require.EqualValues(t, 1<<3|1<<4, r.Switch.Ports[0].PFC)
	require.Contains(t, r.Unknown,
		"whether PFC is on is not in OpenConfig: the groups of priorities without drops are not "+
			"known")
}

// The product of the first lines gives the chip that SONiC's platform of the same switch has.
func TestProductsOfBothSystems(t *testing.T) {
	for product, chip := range map[string]string{"DCS-7060X6-32PE": "tomahawk5", "DCS-7050SX3-48YC8": "trident3"} {
		text := "! device: leaf1 (" + product + ", EOS-4.36.1F)\nhostname leaf1\nqos profile lossless\n" +
			"   priority-flow-control on\n"
		r, err := eos.System.Read("leaf1.cfg", []byte(text), audit.Chip{})
		require.NoError(t, err)
		require.Equal(t, chip, r.Chip.Name)
		platform := "x86_64-arista_" + strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(product, "DCS-")), "-", "_")
		p, found := asic.ProductOf(platform, "")
		require.True(t, found)
		require.Equal(t, chip, p.Chip)
	}
}

// TestRefuses refuses what says nothing of QoS.
func TestRefuses(t *testing.T) {
	_, err := eos.System.Read("leaf1.cfg", []byte("hostname leaf1\ninterface Ethernet1/1\n  speed 100g\n"), audit.Chip{})
	require.ErrorContains(t, err, "leaf1.cfg: no running configuration of EOS that says anything of QoS: want ")
	_, err = eos.System.Read("qos.json", []byte("{}"), audit.Chip{})
	require.ErrorContains(t, err, "qos.json: no QoS of OpenConfig: want an object with openconfig-qos:qos")
}

// FuzzRead reads any bytes.
func FuzzRead(f *testing.F) {
	readertest.Fuzz(f, eos.System.Read, leaf, leafOfAVD, `{"openconfig-qos:qos": {}}`)
}
