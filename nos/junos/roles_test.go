package junos_test

import (
	"embed"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/junos"
)

// roleFiles are configurations of our own, in the grammar of Juniper's traffic management guide for QFX: a leaf with
// interface ranges and an aggregated interface, a spine with a group and set commands, a leaf of an AI back end with
// wildcards, and a storage switch with FCoE and iSCSI by 802.1p as JSON.
//
//go:embed testdata/leaf.conf testdata/spine.set testdata/backend.conf testdata/storage.json
var roleFiles embed.FS

// TestRoles finds every mistake by its code and line, and nothing in the same files without it.
func TestRoles(t *testing.T) {
	const leaf, spine, backend, storage = "leaf.conf", "spine.set", "backend.conf", "storage.json"
	files := map[string]string{}
	for _, name := range []string{leaf, spine, backend, storage} {
		data, err := roleFiles.ReadFile("testdata/" + name)
		require.NoError(t, err)
		files[name] = string(data)
	}
	plant := readertest.Plant
	readertest.Roles(t, junos.System.Read, files, []readertest.Planted{
		plant(leaf, "wred-min-over-max", "fill-level [ 80 40 ]", "[ 40 80 ]", "[ 80 40 ]"),
		plant(leaf, "number-format", "fill-level [ 40 110 ]", "[ 40 80 ]", "[ 40 110 ]"),
		plant(leaf, "number-format", "interpolate", "[ 0 90 ]", "[ 0 50 90 ]"),
		plant(leaf, "pfc-class-drops", "pause {\n            pfc-watchdog", "pfc-priority 3", "pfc-priority 5"),
		plant(leaf, "number-format", "pfc-priority 8", "pfc-priority 3", "pfc-priority 8"),
		plant(leaf, "mtu-over-class", "mru 2500", "mru 9216", "mru 2500"),
		plant(leaf, "pfc-class-drops", "code-point 011010 {", "queue-num 3 no-loss", "queue-num 3"),
		plant(leaf, "pfc-class-drops", "code-point 011010 {", " pfc-priority 3", ""),
		plant(leaf, "pfc-class-drops", "class ROCE queue-num 6", "ROCE queue-num 3", "ROCE queue-num 6"),
		plant(leaf, "pfc-class-drops", "flow-control-queue 6", "flow-control-queue 3", "flow-control-queue 6"),
		plant(leaf, "no-drop-no-pfc", "interface-range to-hosts", "            congestion-notification-profile pause;\n", ""),
		plant(leaf, "pfc-with-pause", "flow-control;", "ether-options {", "ether-options { flow-control;"),
		plant(leaf, "partition-sum", "ingress {", "percent 60", "percent 70"),
		plant(leaf, "no-drop-no-headroom", "percent 0", "percent 30", "percent 0", "percent 60", "percent 90"),
		plant(leaf, "number-format", "roce 0110101;", "roce 011010;", "roce 0110101;"),
		plant(leaf, "number-format", "code-points rocce", "code-points roce", "code-points rocce"),
		plant(leaf, "name-missing", "dscp to-fabrik", "dscp to-fabric;", "dscp to-fabrik;"),
		plant(leaf, "name-missing", "forwarding-class CONTROL", "forwarding-class network-control", "forwarding-class "+
			"CONTROL"),
		plant(leaf, "name-missing", "scheduler-map queue;", "scheduler-map queues;", "scheduler-map queue;"),
		plant(leaf, "pfc-class-drops", "forwarding-class ROCE scheduler", "            "+
			"explicit-congestion-notification;\n", ""),
		plant(leaf, "bandwidth-sum", "queues {\n            forwarding-class CNP", "transmit-rate percent 60",
			"transmit-rate percent 96"),
		plant(leaf, "statement-unread", "colour 3", "dscp-code-point 110000", "colour 3; dscp-code-point 110000"),
		plant(leaf, "statement-unread", "priority strictest", "priority strict-high", "priority strictest"),

		plant(spine, "name-missing", "apply-groups FABRICS", "set apply-groups FABRIC", "set apply-groups FABRICS"),
		plant(spine, "name-missing", "<et-*> congestion-notification-profile cnp",
			"<et-*> congestion-notification-profile pause", "<et-*> congestion-notification-profile cnp"),
		plant(spine, "mtu-over-class", "code-point 011010 pfc mru 4096", "011010 pfc mru 9216", "011010 pfc mru 4096"),
		plant(spine, "pfc-class-drops", "class ROCE queue-num 4", "STORAGE queue-num 3 no-loss pfc-priority 3",
			"STORAGE queue-num 3 no-loss pfc-priority 4"),
		plant(spine, "pfc-class-drops", "forwarding-class STORAGE loss-priority low code-points 011010",
			"STORAGE loss-priority low code-points 010010", "STORAGE loss-priority low code-points 011010",
			"STORAGE queue-num 3 no-loss", "STORAGE queue-num 3"),
		plant(spine, "number-format", "code-points 99", "low code-points 110000", "low code-points 99"),
		plant(spine, "wred-min-over-max", "fill-level 45", "fill-level 90", "fill-level 45"),
		plant(spine, "number-format", "cable-length far", "cable-length 300", "cable-length far"),
		plant(spine, "number-format", "queue 16 CNP", "queue 6 CNP", "queue 16 CNP"),
		plant(spine, "pfc-class-drops", "congestion-notification-profile pause input dscp",
			"set class-of-service congestion-notification-profile pause output ieee-802.1 code-point 011 flow-control-queue 3\n",
			""),
		plant(spine, "statement-unread", "pfcc", "code-point 011010 pfc mru", "code-point 011010 pfcc mru"),

		plant(backend, "pfc-class-drops", "code-point 011010 {", "low code-points 011010", "low code-points 011110"),
		plant(backend, "pfc-no-class", "            congestion-notification-profile cnp;", "queue-num 4 no-loss",
			"queue-num 4"),
		plant(backend, "name-missing", "dscp gpus;", "dscp gpu;", "dscp gpus;"),
		plant(backend, "name-missing", "dedicated-buffer-profile larger;", "dedicated-buffer-profile large;",
			"dedicated-buffer-profile larger;"),
		plant(backend, "number-format", "percent 115", "percent 15", "percent 115"),
		plant(backend, "partition-sum", "ingress {", "percent 70", "percent 80"),
		plant(backend, "name-missing", "buffer-partition loss {", "buffer-partition lossy {", "buffer-partition loss {"),
		plant(backend, "number-format", "dynamic-threshold 11", "dynamic-threshold 10", "dynamic-threshold 11"),

		plant(storage, "mtu-over-class", `"mru": 2000`, `"mru": 2240`, `"mru": 2000`),
		plant(storage, "pfc-class-drops", `{"name": "011", "pfc"`, `"queue-num": 3, "no-loss": [null]`, `"queue-num": 3`),
		plant(storage, "bandwidth-sum", `"name": "lan", "output`, `{"percent": 60}`, `{"percent": 61}`),
		plant(storage, "name-missing", `"name": "wan", "output`, `{"name": "lan", "output`, `{"name": "wan", "output`),
		plant(storage, "pfc-class-drops", `"flow-control-queue": [0]`, `"flow-control-queue": [5]`,
			`"flow-control-queue": [0]`, `"class": [{"name": "best-effort"}]`, `"class": [{"name": "best-effort"}]`,
			`{"name": "fcoe", "queue-num": 3`, `{"name": "LAN", "queue-num": 0}, {"name": "fcoe", "queue-num": 3`),
	})
}

// TestHeadroomIsForACable compares the cable with that for which the switch computes headroom: 100 m if cable-length is
// not set.
func TestHeadroomIsForACable(t *testing.T) {
	data, err := roleFiles.ReadFile("testdata/backend.conf")
	require.NoError(t, err)
	without := readertest.Replace(t, string(data), "                cable-length 30;\n", "")
	require.Empty(t, readertest.Run(t, junos.System.Read, without, "100m").Findings)
	r := readertest.Run(t, junos.System.Read, without, "300m")
	require.Len(t, r.Findings, 1)
	require.EqualValues(t, "no-drop-no-headroom", r.Findings[0].Code)
	require.Contains(t, r.Findings[0].Message, "for cables up to 100m: et-0/0/0:0-1,et-0/0/1 (3 ports)")
}

// TestHeadroomIsForFrames says which profiles have no mru, once each: the frames of their headroom are not known.
func TestHeadroomIsForFrames(t *testing.T) {
	const says = "which frames the switch computes the headroom with is not known: there is no mru in " +
		"congestion-notification-profile "
	data, err := roleFiles.ReadFile("testdata/backend.conf")
	require.NoError(t, err)
	r := readertest.Run(t, junos.System.Read, string(data), "")
	require.Empty(t, r.Findings)
	require.Contains(t, r.Unknown, says+"cnp, and the product has a default")
	data, err = roleFiles.ReadFile("testdata/leaf.conf")
	require.NoError(t, err)
	require.NotContains(t, strings.Join(readertest.Run(t, junos.System.Read, string(data), "").Unknown, "\n"), says)
}

// TestPortsOfManyForms gives the ports of ranges, groups and wildcards their speeds and MTUs.
func TestPortsOfManyForms(t *testing.T) {
	for name, want := range map[string]string{
		"leaf.conf": "et-0/0/0 100G 9216 40m, et-0/0/1 100G 9216 40m, et-0/0/2 100G 9216 40m, et-0/0/3 100G 9216 40m, " +
			"et-0/0/4 400G 9216 40m, et-0/0/5 400G 9216 40m, et-0/0/48:0 25G 9216 0m",
		"spine.set":    "et-0/0/0 400G 9216 300m, et-0/0/1 400G 9216 300m, et-0/0/2 100G 9216 300m",
		"backend.conf": "et-0/0/0:0 400G 9216 30m, et-0/0/0:1 400G 9216 30m, et-0/0/1 800G 9216 30m",
		"storage.json": "xe-0/0/0 10G 2180 100m, xe-0/0/1 10G 2180 100m",
	} {
		data, err := roleFiles.ReadFile("testdata/" + name)
		require.NoError(t, err)
		var got []string
		for _, p := range readertest.Run(t, junos.System.Read, string(data), "").Switch.Ports {
			got = append(got, fmt.Sprintf("%s %v %d %v", p.Name, p.Speed, p.MTU, p.Cable))
		}
		require.Equal(t, want, strings.Join(got, ", "), name)
	}
}
