package intent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// config is CONFIG_DB in the making: tables, entries, fields.
type config map[string]map[string]map[string]string

// leaf is a configuration of our own for eight ports of a Tomahawk, in the form and with the names of SONiC's.
func leaf(t testing.TB) config {
	data, err := os.ReadFile("testdata/leaf.json")
	require.NoError(t, err)
	var c config
	require.NoError(t, json.Unmarshal(data, &c))
	return c
}

// audited audits a configuration with the table of testdata.
func audited(t testing.TB, c config) *audit.Result {
	data, err := json.Marshal(c)
	require.NoError(t, err)
	db, err := sonic.System.Read("leaf.json", data, audit.Chip{})
	require.NoError(t, err)
	file, err := os.Open("testdata/pg_profile_lookup.ini")
	require.NoError(t, err)
	defer file.Close()
	rows, err := table.Read("pg_profile_lookup.ini", file)
	require.NoError(t, err)
	return audit.Run(audit.Source{File: "leaf.json", Reading: db, Table: rows})
}

// All of a usual configuration is in the intent, and its plan grants what was read.
func TestWhole(t *testing.T) {
	i, err := intent.Of(audited(t, leaf(t)))
	require.NoError(t, err)
	require.Empty(t, i.Differences)
	require.Empty(t, i.Notes)
	require.True(t, i.Plan.Fits)
	require.Equal(t, buffer.Pool{Size: 10875072, SharedHeadroom: 4194112}, i.Intent.Pool)
	require.Equal(t, []buffer.EgressPool{{Name: "egress_lossless_pool", Size: 15982720},
		{Name: "egress_lossy_pool", Size: 9243728}}, i.Intent.EgressPools)
	require.Len(t, i.Intent.Classes, 2)
	require.Equal(t, []int{0, 1, 2, 5, 6}, i.Intent.Classes[0].Priorities)
	require.Equal(t, []int{3, 4}, i.Intent.Classes[1].Priorities)
	require.Equal(t, unit.Bytes(15982720), i.Intent.Classes[1].Egress.Limit)
	require.Equal(t, 15, i.Intent.Classes[1].Weight)
	require.Len(t, i.Intent.Sizing.(*table.Table).Rows, 2)
	w, err := topology.WriteCommented(i.Intent, topology.Comments{Path: i.Sources, Ports: i.PortSources})
	require.NoError(t, err)
	for _, source := range []string{"pg_lossless_100000_300m_profile pg_profile_lookup.ini:3",
		"BUFFER_POOL|ingress_lossless_pool leaf.json:1", "WRED_PROFILE|AZURE_LOSSLESS leaf.json:1"} {
		require.Contains(t, string(w.Topology), source)
	}
}

// What a topology does not say is a difference, with the object; the others of its kind are said with it.
func TestDifferences(t *testing.T) {
	ports := func(set func(port string)) {
		for n := range 8 {
			set(fmt.Sprintf("Ethernet%d", 4*n))
		}
	}
	for name, c := range map[string]struct {
		change func(config)
		says   []string
	}{
		"another pool": {func(c config) {
			c["BUFFER_POOL"]["ingress_lossy_pool"] = map[string]string{"type": "ingress", "mode": "dynamic",
				"size": "1000000"}
			c["BUFFER_PROFILE"]["ingress_lossy_profile"]["pool"] = "ingress_lossy_pool"
		}, []string{"BUFFER_POOL|ingress_lossy_pool: groups with ingress_lossy_profile are counted in this pool: a " +
			"topology " +
			"has one pool of the ingress, ingress_lossless_pool"}},
		"static mode": {func(c config) { c["BUFFER_POOL"]["ingress_lossless_pool"]["mode"] = "static" },
			[]string{"its mode is static"}},
		"both": {func(c config) { c["BUFFER_POOL"]["ingress_lossless_pool"]["type"] = "both" },
			[]string{"its type is both"}},
		"no size":            {func(c config) { delete(c["BUFFER_POOL"]["egress_lossy_pool"], "size") }, nil},
		"a port without PFC": {func(c config) { c["PORT_QOS_MAP"]["Ethernet8"]["pfc_enable"] = "" }, nil},
		"PFC without headroom": {func(c config) { c["CABLE_LENGTH"]["AZURE"]["Ethernet8"] = "0m" },
			nil},
		"headroom without PFC": {func(c config) {
			c["BUFFER_PROFILE"]["own"] = map[string]string{"pool": "ingress_lossless_pool", "size": "1248",
				"xon":  "2288",
				"xoff": "165568", "xon_offset": "2288", "dynamic_th": "0"}
			ports(func(p string) { c["BUFFER_PG"][p+"|5"] = map[string]string{"profile": "own"} })
		}, []string{"BUFFER_PG|*|5: group 5 has headroom, and no lossless priority: a topology has none for it"}},
		"two profiles for a cable": {func(c config) {
			c["BUFFER_PROFILE"]["own"] = map[string]string{"pool": "ingress_lossless_pool", "size": "1248",
				"xon":  "2288",
				"xoff": "200000", "xon_offset": "2288", "dynamic_th": "0"}
			c["BUFFER_PG"]["Ethernet12|3"] = map[string]string{"profile": "own"}
		}, []string{"it has own, and others of 100G over 5m have pg_lossless_100000_5m_profile", "the plan grants"}},
		"another DSCP map": {func(c config) {
			c["DSCP_TO_TC_MAP"]["OTHER"] = map[string]string{"26": "3"}
			c["PORT_QOS_MAP"]["Ethernet4"]["dscp_to_tc_map"] = "OTHER"
		}, []string{"it has another map of DSCPs: a topology has one for all ports (Ethernet4)"}},
		"a class without a group": {func(c config) { c["DSCP_TO_TC_MAP"]["AZURE"]["56"] = "7" },
			[]string{"DSCPs have traffic class 7, whose group has no buffer"}},
		"another queue": {func(c config) { c["TC_TO_QUEUE_MAP"]["AZURE"]["5"] = "1" },
			[]string{"traffic class 5 does not go to queue 5"}},
		"colours": {func(c config) { c["WRED_PROFILE"]["AZURE_LOSSLESS"]["red_min_threshold"] = "1000" },
			[]string{"its colours have several thresholds"}},
		"green alone": {func(c config) { c["WRED_PROFILE"]["AZURE_LOSSLESS"]["ecn"] = "ecn_green" },
			[]string{`ecn is "ecn_green"`}},
		"a rate": {func(c config) { c["SCHEDULER"]["scheduler.0"]["pir"] = "1000" },
			[]string{"SCHEDULER|scheduler.0: the scheduler has a rate"}},
		"no schedule": {func(c config) {
			ports(func(p string) {
				delete(c["QUEUE"], p+"|3")
				delete(c["QUEUE"],
					p+"|4")
			})
		},
			[]string{"have no scheduler, and those of others have"}},
		"another weight on a port": {func(c config) { c["QUEUE"]["Ethernet0|3"]["scheduler"] = "scheduler.0" },
			[]string{"priority 3: the weight is 15 on most ports and 14 here"}},
		"a queue beyond eight": {func(c config) {
			c["BUFFER_QUEUE"]["Ethernet0|9"] = map[string]string{"profile": "egress_lossy_profile"}
		}, []string{"queue 9: a topology has queues 0 to 7 (Ethernet0)"}},
		"an alpha of another chip": {func(c config) {
			c["BUFFER_PROFILE"]["ingress_lossy_profile"]["dynamic_th"] = "6"
		},
			[]string{"dynamic_th 6 is outside the chip's: 3 is the nearest"}},
	} {
		t.Run(name, func(t *testing.T) {
			db := leaf(t)
			c.change(db)
			i, err := intent.Of(audited(t, db))
			require.NoError(t, err)
			var all []string
			for _, d := range i.Differences {
				all = append(all, d.String())
			}
			text := strings.Join(all, "\n")
			for _, says := range c.says {
				require.Contains(t, text, says)
			}
			if c.says == nil {
				require.Empty(t, all)
			}
			_, err = topology.Write(i.Intent)
			require.NoError(t, err)
		})
	}
}

// A limit that is none is the size of the pool: the effect is the same, and a note says it.
func TestNoLimit(t *testing.T) {
	for _, th := range []string{"0", "16777280"} {
		c := leaf(t)
		delete(c["BUFFER_PROFILE"]["ingress_lossy_profile"], "dynamic_th")
		c["BUFFER_PROFILE"]["ingress_lossy_profile"]["static_th"] = th
		i, err := intent.Of(audited(t, c))
		require.NoError(t, err)
		require.Empty(t, i.Differences)
		require.Equal(t, unit.Bytes(10875072), i.Intent.Classes[0].StaticLimit)
		require.Equal(t,
			[]string{"BUFFER_PROFILE|ingress_lossy_profile: static_th " + th + " is no limit: the topology has " +
				"the size of the pool, 10875072, with the same effect"}, i.Notes)
	}
}

// What every topology has, and the configuration does not say, is asked for.
func TestUnknown(t *testing.T) {
	for says, change := range map[string]func(config){
		"--chip NAME says it": func(c config) {
			c["DEVICE_METADATA"]["localhost"]["platform"] = "x86_64-acme-r0"
			c["DEVICE_METADATA"]["localhost"]["hwsku"] = "Acme"
			for _, pool := range c["BUFFER_POOL"] {
				delete(pool, "size")
			}
		},
		"the cable of ports Ethernet8 is not known: --cable": func(c config) {
			delete(c["CABLE_LENGTH"]["AZURE"], "Ethernet8")
		},
		"the speed of ports Ethernet8 is not known": func(c config) { delete(c["PORT"]["Ethernet8"], "speed") },
		"there is no BUFFER_POOL":                   func(c config) { delete(c, "BUFFER_POOL") },
		"there is no PORT_QOS_MAP":                  func(c config) { delete(c, "PORT_QOS_MAP") },
		`size is "large": want a whole number`: func(c config) {
			c["BUFFER_POOL"]["egress_lossy_pool"]["size"] = "large"
		},
	} {
		t.Run(says, func(t *testing.T) {
			c := leaf(t)
			change(c)
			_, err := intent.Of(audited(t, c))
			require.ErrorIs(t, err, intent.ErrUnknown)
			require.ErrorContains(t, err, says)
		})
	}
	data, err := json.Marshal(leaf(t))
	require.NoError(t, err)
	db, err := sonic.System.Read("leaf.json", data, audit.Chip{})
	require.NoError(t, err)
	_, err = intent.Of(audit.Run(audit.Source{File: "leaf.json", Reading: db}))
	require.ErrorContains(t, err,
		"the headroom table is not given, and the lossless groups of ports Ethernet0-28/4 are made "+
			"from it: --headroom-table")
}

// A chip that is not known, or whose cells are not, is one that holds the pools and is called assumed: in the plan, in
// the chip file, in a note. What comes back to the switch is the same.
func TestAssumedChip(t *testing.T) {
	for name, k := range map[string]struct {
		platform, chip string
		change         func(config)
		bytes          unit.Bytes
		cell           cells.Size
		includes       bool
	}{
		"not known": {"x86_64-acme-r0", "unknown", func(config) {}, 15982720 + 9243728, 256, true},
		"a chip whose cells are not sourced": {"x86_64-wistron_sw_to3200k-r0", "teralynx7", func(config) {},
			15982720 + 9243728, 256, true},
		"a chip whose cell is sourced": {"x86_64-accton_as9516_32d-r0", "tofino2", func(c config) {
			c["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "40000000"
		}, 40000000, 176, true},
		"headroom as large as the pool": {"x86_64-acme-r0", "unknown", func(c config) {
			c["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "30000000"
			c["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "30000000"
		}, 60000000, 256, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := leaf(t)
			c["DEVICE_METADATA"]["localhost"] = map[string]string{"platform": k.platform}
			k.change(c)
			r := audited(t, c)
			i, err := intent.Of(r)
			require.NoError(t, err)
			chip := &i.Intent.Chip
			require.True(t, chip.Assumed())
			require.Equal(t, k.chip, chip.Name)
			require.Equal(t, k.cell, chip.Cell)
			require.Equal(t, k.cell.Holding(k.bytes), chip.TotalCells())
			require.Equal(t, k.includes, i.Intent.Pool.SizeIncludesHeadroom)
			require.Empty(t, chip.Unsourced())
			require.Contains(t, i.Notes[0], "the topology has one with the")
			lines, note := i.Plan.RestsOn()
			require.Equal(t, "; the chip is assumed", note)
			require.Contains(t, lines[0], "as much as the pools of the imported configuration hold")
			require.Empty(t, differing(meaning(r, i), meaning(rendered(t, c, r, i), i)))
			w, err := topology.WriteCommented(i.Intent, topology.Comments{ChipFile: "leaf 1.chip.json"})
			require.NoError(t, err)
			require.Contains(t, string(w.Topology), `chip: "leaf 1.chip.json"`)
			require.Contains(t, w.Files, "leaf 1.chip.json")
		})
	}
}

// FuzzOf imports any configuration: it is an error, or an intent that a topology says and that can be planned. The same
// input gives the same.
func FuzzOf(f *testing.F) {
	data, err := os.ReadFile("testdata/leaf.json")
	require.NoError(f, err)
	lookup, err := os.ReadFile("testdata/pg_profile_lookup.ini")
	require.NoError(f, err)
	f.Add(data, string(lookup))
	f.Add([]byte(strings.ReplaceAll(string(data), "x86_64-arista_7060_cx32s", "x86_64-acme-r0")), string(lookup))
	f.Add([]byte(strings.ReplaceAll(string(data), "x86_64-arista_7060_cx32s", "x86_64-mlnx_msn2700-r0")), "")
	f.Add([]byte(strings.ReplaceAll(string(data), `"3,4"`, `"0,7"`)), string(lookup))
	f.Add([]byte(strings.ReplaceAll(string(data), `"0":"0"`, `"0":"9"`)), string(lookup))
	f.Fuzz(func(t *testing.T, data []byte, lookup string) {
		db, err := sonic.System.Read("f", data, audit.Chip{})
		if err != nil {
			return
		}
		s := audit.Source{File: "f", Reading: db}
		if rows, _ := table.Scan("t", strings.NewReader(lookup)); len(rows.Rows) > 0 {
			s.Table = rows
		}
		i, err := intent.Of(audit.Run(s))
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(i.Differences), 1000)
		comments := topology.Comments{Head: i.Notes, Path: i.Sources, Ports: i.PortSources}
		w, err := topology.WriteCommented(i.Intent, comments)
		if err != nil {
			require.ErrorIs(t, err, topology.ErrNotWritable)
			return
		}
		in, err := topology.Parse("topology.yaml", w.Topology, func(name string) ([]byte, error) {
			return w.Files[name],
				nil
		})
		require.NoError(t, err, "%s", w.Topology)
		again, err := buffer.New(in)
		require.NoError(t, err)
		require.Equal(t, i.Plan.Layout(), again.Layout())
	})
}

// The dynamic buffer manager counts the lanes of a port, so they are in the intent: 8 of them are another XON.
func TestLanesOfAComputedHeadroom(t *testing.T) {
	c := leaf(t)
	delete(c, "BUFFER_PROFILE")
	c["DEVICE_METADATA"] = map[string]map[string]string{"localhost": {"platform": "x86_64-nvidia_sn5600-r0",
		"hwsku": "Mellanox-SN5600", "buffer_model": "dynamic"}}
	c["BUFFER_POOL"] = map[string]map[string]string{"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic",
		"size": "100000000"}}
	c["BUFFER_PG"] = map[string]map[string]string{}
	lanes := 8
	for name, port := range c["PORT"] {
		port["speed"], port["lanes"] = "400000", strings.TrimSuffix(strings.Repeat("1,", lanes), ",")
		c["BUFFER_PG"][name+"|3-4"] = map[string]string{"profile": "NULL"}
	}
	r := audited(t, c)
	i, err := intent.Of(r)
	require.NoError(t, err)
	require.NotEmpty(t, i.Intent.Ports)
	require.Equal(t, "sonic-dynamic", i.Intent.Sizing.Method())
	for _, p := range i.Intent.Ports {
		require.Equal(t, lanes, p.Lanes)
		h, err := i.Intent.Sizing.Size(p.Link(1024), i.Intent.Memory())
		require.NoError(t, err)
		require.EqualValues(t, 38912, h.XON)
		require.Greater(t, h.Size, h.XON+h.XOFF, "a frame for a port of eight lanes")
	}
	// The profile that render writes has the size that the manager computes.
	require.Empty(t, differing(meaning(r, i), meaning(rendered(t, c, r, i), i)))
}

// The core of a port is its pipe on a chip whose pipes are cores. Elsewhere, and where the chip has no such core, the
// configuration says nothing of pipes.
func TestCores(t *testing.T) {
	for product, want := range map[string]string{"NH-5010-F-O64": "0 - 7", "": "- - -"} {
		c := leaf(t)
		if product != "" {
			c["DEVICE_METADATA"]["localhost"]["platform"] = "x86_64-nexthop_5010-r0"
			c["DEVICE_METADATA"]["localhost"]["hwsku"] = product
		}
		for i, core := range []string{"0", "8", "7"} {
			c["PORT"][fmt.Sprintf("Ethernet%d", 4*i)]["core_id"] = core
		}
		imported, err := intent.Of(audited(t, c))
		require.NoError(t, err)
		var pipes []string
		for _, p := range imported.Intent.Ports[:3] {
			if p.Pipe == nil {
				pipes = append(pipes, "-")
			} else {
				pipes = append(pipes, fmt.Sprint(*p.Pipe))
			}
		}
		require.Equal(t, want, strings.Join(pipes, " "), imported.Intent.Chip.Name)
	}
}
