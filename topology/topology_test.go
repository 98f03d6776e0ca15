package topology_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

const good = `chip: tomahawk
headroom: {method: ieee802.1qbb, frame: 64B}
pool: {size: 10875072B, shared_headroom: 4194112B, size_includes_headroom: false}
shared_floor: 20%
classes:
  - {name: rdma, priorities: [3, 4], lossless: true, reserved: 1248B, alpha: 1, mtu: 4096B, ecn: {kmin: 250000B, kmax: 1048576B, pmax: 5%}}
  - {name: best-effort, priorities: [0, 1, 2, 5, 6, 7], lossless: false, dynamic_th: -3}
ports:
  - {range: "Ethernet1/1-3", speed: 100G, cable: 300m, mtu: 9216B}
  - {name: Ethernet1/4, speed: 40G, cable: 0.5m, pipe: 2}
`

func noFiles(path string) ([]byte, error) { return nil, fmt.Errorf("open %s: no such file", path) }

func ExampleParse() {
	intent, err := topology.Parse("leaf1.yaml", []byte(good), os.ReadFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(intent.Chip.Name, len(intent.Ports), "ports,", intent.Classes[1].Alpha, intent.SharedFloor)

	_, err = topology.Parse("leaf2.yaml", []byte("chip: tomahawk\nheadroom: {method: magic}\nclasses: []\nports:\n- "+
		"{name: e1, speed: 400, cable: 3m}\n"), os.ReadFile)
	fmt.Println(err)
	// Output:
	// tomahawk 4 ports, 1/8 20%
	// invalid input:
	// leaf2.yaml:2: headroom.method: "magic": want broadcom-delay, broadcom-th3, cisco-practical, ieee802.1qbb, juniper, mlx5, mlxsw, sonic-dynamic, table
	// leaf2.yaml:5: ports[0].speed: "400" is not a bit rate: it has no unit (want T, G, M, Tb/s, Gb/s, Mb/s, b/s, Tbps, Gbps, Mbps, bps; for example 400G)
	// leaf2.yaml:3: classes: none: want at least one class
}

func TestParseReadsEverything(t *testing.T) {
	in, err := topology.Parse("leaf.yaml", []byte(good), noFiles)
	require.NoError(t, err)
	require.Equal(t, buffer.Pool{Size: 10875072, SharedHeadroom: 4194112}, in.Pool)
	require.Equal(t, thresholds.IEEE{Mix: thresholds.Frames(64)}, in.Sizing)
	require.Equal(t, 20*unit.OnePercent, in.SharedFloor)
	require.Equal(t, buffer.Class{Name: "rdma", Priorities: []int{3, 4}, Lossless: true,
		Reserved: unit.Given[unit.Bytes](1248), Alpha: new(thresholds.Alpha(0)), MTU: 4096,
		ECN: ecn.Thresholds{KMin: 250000, KMax: 1048576, PMax: 500}}, in.Classes[0])
	second := buffer.Port{Name: "Ethernet1/2", Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216}
	fourth := buffer.Port{Name: "Ethernet1/4", Rate: 40 * unit.Gbps, Cable: 500, MTU: 9216, Pipe: new(2)}
	require.Equal(t, []buffer.Port{second, fourth}, []buffer.Port{in.Ports[1], in.Ports[3]})

	again, err := topology.Parse("leaf.json", []byte(`{"chip":"Tomahawk","headroom":{"method":"ieee802.1qbb"},
		"classes":[{"name":"a","priorities":[3],"lossless":true}],
		"ports":[{"range":"Ethernet0-12/4","speed":"100G","cable":"5m"}]}`), noFiles)
	require.NoError(t, err)
	require.Equal(t, "Ethernet12", again.Ports[3].Name)
	require.Nil(t, again.Classes[0].Alpha)
}

// Every complaint comes at once, at its line; nothing that was refused while reading is refused again for being empty.
func TestParseComplains(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(string) string
		want []string
	}{
		"unknown chip": {replace("tomahawk", "tomahawk99"),
			[]string{`leaf.yaml:1: chip: "tomahawk99": want a chip of the catalogue (nearest: tomahawk, tomahawk2, `}},
		"no such chip file": {replace("chip: tomahawk", "chip: ./no.json"), []string{
			`leaf.yaml:1: chip: "./no.json": want the path of a chip file that can be read (open no.json: no such file)`}},
		"unknown key": {
			replace("shared_floor", "shared_flor"),
			[]string{
				"leaf.yaml:4: shared_flor: unknown key: want chip, headroom, pool, egress_pools, trimming, shared_floor, " +
					"classes, dscp, trust, ets, peers, ports",
			},
		},
		"key twice": {replace("shared_floor: 20%", "chip: tomahawk"), []string{"leaf.yaml:4: chip: given twice"}},
		"unknown unit": {
			replace("4096B", "4kb"),
			[]string{
				`leaf.yaml:6: classes[0].mtu: "4kb" is not a number of bytes: "kb" is not one of its units (want B, KiB, ` +
					`MiB, GiB, KB, MB, GB; for example 9216B)`,
			},
		},
		"unknown method": {
			replace("ieee802.1qbb", "guess"),
			[]string{
				`leaf.yaml:2: headroom.method: "guess": want broadcom-delay, broadcom-th3, cisco-practical, ieee802.1qbb, ` +
					`juniper, mlx5, mlxsw, sonic-dynamic, table`,
			},
		},
		"no table": {
			replace("{method: ieee802.1qbb, frame: 64B}", "{method: table}"),
			[]string{"leaf.yaml:2: headroom.table: missing"},
		},
		"unreadable table": {replace("{method: ieee802.1qbb, frame: 64B}", "{method: table, table: x.ini}"), []string{
			`leaf.yaml:2: headroom.table: "x.ini": want the path of a pg_profile_lookup.ini that can be read (open ` +
				`x.ini: no such file)`}},
		"foreign parameter": {
			replace("frame: 64B", "lanes: 8"),
			[]string{
				"leaf.yaml:2: headroom.lanes: unknown key: want method, frame, delays, interface_delay, response_delay",
			},
		},
		"no numbers of chip": {
			replace("ieee802.1qbb, frame: 64B", "sonic-dynamic"),
			[]string{`leaf.yaml:2: headroom: chip "tomahawk": SONiC has no numbers for it`},
		},
		"frame": {
			replace("frame: 64B", "frame: 5B"),
			[]string{`leaf.yaml:2: headroom: frame "5B": frames of 5B: want sizes from 64B to 16384B`},
		},
		"rate without unit": {
			replace("speed: 40G", "speed: 40"),
			[]string{`leaf.yaml:10: ports[1].speed: "40" is not a bit rate: it has no unit`},
		},
		"negative length": {
			replace("cable: 300m", "cable: -300m"),
			[]string{`leaf.yaml:9: ports[0].cable: "-300m" is not a length: it is negative`},
		},
		"absurd length": {
			replace("cable: 300m", "cable: 300000km"),
			[]string{"leaf.yaml:9: ports[0].cable: 300000km: want 0m to 1000km"},
		},
		"missing keys": {
			replace("speed: 40G, cable: 0.5m, ", ""),
			[]string{
				"leaf.yaml:10: ports[1].speed: missing",
				"leaf.yaml:10: ports[1].cable: missing, or given beside delay: want the length of the cable, or a measured",
			},
		},
		"same port twice": {
			replace("Ethernet1/4", "Ethernet1/2"),
			[]string{
				`leaf.yaml:10: port Ethernet1/2: "Ethernet1/2": want a name that no other port has; ports[1] has this one`,
			},
		},
		"bad range": {
			replace("1/1-3", "1/3-1"),
			[]string{`leaf.yaml:9: ports[0].range: "Ethernet1/3-1" is not a range of ports`},
		},
		"huge range": {
			replace("1/1-3", "1/1-999999999"),
			[]string{`"Ethernet1/1-999999999" is more than 4096 ports (want at most 4096)`},
		},
		"too large range": {
			replace("1/1-3", "1-5000"),
			[]string{`"Ethernet1-5000" is more than 4096 ports (want at most 4096)`},
		},
		"name and range": {
			replace("name: Ethernet1/4", `name: Ethernet1/4, range: "a1-2"`),
			[]string{"leaf.yaml:10: ports[1]: name and range together: want either name or range"},
		},
		"neither": {
			replace("name: Ethernet1/4, ", ""),
			[]string{"leaf.yaml:10: ports[1]: no name: want either name or range"},
		},
		"name that is a range": {
			replace("name: Ethernet1/4", "name: Ethernet1/4-8"),
			[]string{
				`leaf.yaml:10: ports[1].name: "Ethernet1/4-8" is not the name of one port (want a name; ports of several ` +
					`names are a range)`,
			},
		},
		"range of one name": {
			replace("Ethernet1/1-3", "Ethernet1/1"),
			[]string{
				`leaf.yaml:9: ports[0].range: "Ethernet1/1" is not a range of ports (want a range such as "Ethernet1/1-32", ` +
					`"Ethernet0-124/4" (every fourth), or several with commas; one port has a name)`,
			},
		},
		"odd name": {
			replace("name: Ethernet1/4", "name: Ethernet 1"),
			[]string{`leaf.yaml:10: port Ethernet 1: "Ethernet 1": want an interface name: letters, digits and / _ . : -`},
		},
		"priority twice": {
			replace("[0, 1, 2, 5, 6, 7]", "[0, 3]"),
			[]string{`leaf.yaml:7: classes[1].priorities: 3: want a priority that no class has; class "rdma" has this one`},
		},
		"priority": {
			replace("[3, 4]", "[3, 8]"),
			[]string{`leaf.yaml:6: classes[0].priorities[1]: "8": want a whole number from 0 to 7`},
		},
		"alpha not in table": {
			replace("alpha: 1,", "alpha: 64,"),
			[]string{
				"leaf.yaml:6: classes[0].alpha: 64 (dynamic_th 6): want 1/128 to 8 in powers of two (dynamic_th -7 to 3), " +
					"tomahawk's table",
			},
		},
		"alpha": {
			replace("alpha: 1,", "alpha: 3,"),
			[]string{`leaf.yaml:6: classes[0].alpha: "3" is not an alpha: it must be a power of two`},
		},
		"alpha twice": {
			replace("alpha: 1,", "alpha: 1, dynamic_th: 0,"),
			[]string{`leaf.yaml:6: classes[0].dynamic_th: "0": want alpha or dynamic_th, not both`},
		},
		"not a boolean": {
			replace("lossless: true", "lossless: maybe"),
			[]string{`leaf.yaml:6: classes[0].lossless: "maybe": want true or false`},
		},
		"not a list": {
			replace("[3, 4]", "3"),
			[]string{`leaf.yaml:6: classes[0].priorities: "3": want a list`},
		},
		"ecn order": {
			replace("kmin: 250000B", "kmin: 2MiB"),
			[]string{"leaf.yaml:6: classes[0].ecn: ecn kmin 2097152B, kmax 1048576B: kmin must not be above kmax"},
		},
		"ecn incomplete": {replace(", pmax: 5%", ""), []string{"leaf.yaml:6: classes[0].ecn.pmax: missing"}},
		"pipe": {
			replace("pipe: 2", "pipe: 4"),
			[]string{"leaf.yaml:10: ports[1].pipe: 4: want 0 to 3: tomahawk has 4 pipes"},
		},
		"lanes": {
			replace("mtu: 9216B", "lanes: 17"),
			[]string{`leaf.yaml:9: ports[0].lanes: "17": want a whole number from 1 to 16`},
		},
		"PFC of a lossless priority": {
			replace("mtu: 9216B", "pfc_without_headroom: [3, 6]"),
			[]string{"leaf.yaml:9: ports[0].pfc_without_headroom: 3: want priorities of no lossless class of the port"},
		},
		"PFC of no priority": {
			replace("mtu: 9216B", "pfc_without_headroom: [8]"),
			[]string{`leaf.yaml:9: ports[0].pfc_without_headroom[0]: "8": want a whole number from 0 to 7`},
		},
		"floor": {
			replace("20%", "20"),
			[]string{`leaf.yaml:4: shared_floor: "20" is not a percentage: it has no unit`},
		},
		"truncated": {
			func(s string) string { return s[:len(s)-20] },
			[]string{"leaf.yaml: yaml: ", "want a complete YAML or JSON document"},
		},
		"empty": {
			func(string) string { return "" },
			[]string{"leaf.yaml:1: document: empty: want a mapping"},
		},
		"not a mapping": {
			func(string) string { return "- 1" },
			[]string{"leaf.yaml:1: document: a list: want a mapping with the keys chip"},
		},
		"chip known, not plannable": {replace("tomahawk", "falcon"), []string{
			"leaf.yaml:1: chip.cell_bytes: 0", "leaf.yaml:1: chip.slices: none", "leaf.yaml:1: chip.groups_per_port: 0"}},
		"several at once": {func(s string) string {
			return replace("100G", "100")(replace("alpha: 1,", "alpha: 64,")(s))
		}, []string{
			"leaf.yaml:9: ports[0].speed", "leaf.yaml:6: classes[0].alpha: 64"}},
		"chip unknown, the rest still checked": {func(s string) string {
			return replace("tomahawk", "nope")(replace("1/4", "1/2")(s))
		}, []string{
			"leaf.yaml:1: chip:", "leaf.yaml:10: port Ethernet1/2"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := topology.Parse("leaf.yaml", []byte(c.edit(good)), noFiles)
			require.ErrorIs(t, err, buffer.ErrInvalid)
			for _, w := range c.want {
				require.ErrorContains(t, err, w)
			}
			complaints := strings.Split(err.Error(), "\n")[1:]
			require.Len(t, complaints, max(1, lines(c.want)), "nothing else is complained about:\n%v", err)
		})
	}
}

// lines counts the complaints that begin with a file and a line.
func lines(want []string) int {
	n := 0
	for _, w := range want {
		if strings.HasPrefix(w, "leaf.yaml:") && !strings.HasPrefix(w, "leaf.yaml: ") {
			n++
		}
	}
	return n
}

func replace(old, with string) func(string) string {
	return func(s string) string {
		if !strings.Contains(s, old) {
			panic("no " + old)
		}
		return strings.Replace(s, old, with, 1)
	}
}

func TestFilesAreFoundBesideTheTopology(t *testing.T) {
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	text, err := json.Marshal(chip)
	require.NoError(t, err)
	files := map[string]string{
		filepath.Join("lab", "chips", "mine.json"): string(text),
		filepath.Join("lab", "lossless.ini"): "100000 300m 1248 2288 268736 0 2288\n40000 500mm 1248 2288 66560 0 " +
			"2288\n",
	}
	open := func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file: " + path)
	}
	edit := replace("chip: tomahawk", "chip: chips/mine.json")(good)
	edit = replace("{method: ieee802.1qbb, frame: 64B}", "{method: table, table: lossless.ini}")(edit)
	in, err := topology.Parse("lab/leaf.yaml", []byte(edit), open)
	require.NoError(t, err)
	require.Equal(t, chip, in.Chip, "what a chip prints as JSON is a chip file")
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.True(t, plan.Fits, "%v", plan.Err())

	files[filepath.Join("lab", "lossless.ini")] = "100000 300 1 2 3\n"
	_, err = topology.Parse("lab/leaf.yaml", []byte(edit), open)
	require.ErrorContains(t, err, `headroom.table: "lossless.ini": want the path of a pg_profile_lookup.ini: no line of this file is a row`)
	files[filepath.Join("lab", "chips", "mine.json")] = `{"name":"x","cell_bytes":0,"slices":[],"min_dynamic_th":0,` +
		`"max_dynamic_th":-1,"colour":1}`
	_, err = topology.Parse("lab/leaf.yaml", []byte(edit), open)
	for _, want := range []string{
		"mine.json:1: colour: unknown key",
		`cell_bytes: "0": want a whole number from 1`,
		"groups_per_port: missing",
	} {
		require.ErrorContains(t, err, want)
	}
}

// Complaints about a method's parameters come in the order in which the method lists them, at every run.
func TestComplaintsAboutParametersHaveAnOrder(t *testing.T) {
	const parameters = "{method: sonic-dynamic, corrected: [1], lanes: [2], variant: [3], cell: [4]}"
	text := replace("{method: ieee802.1qbb, frame: 64B}", parameters)(good)
	for range 20 {
		_, err := topology.Parse("leaf.yaml", []byte(text), noFiles)
		var order []string
		for line := range strings.Lines(err.Error()) {
			if path, list := strings.CutSuffix(strings.TrimSpace(line), ": a list: want text"); list {
				order = append(order, strings.TrimPrefix(path, "leaf.yaml:2: headroom."))
			}
		}
		require.Equal(t, []string{"cell", "lanes", "variant", "corrected"}, order)
	}
}

// A parameter that is no text is refused once: its method does not see it.
func TestParameterThatIsNoTextIsRefusedOnce(t *testing.T) {
	for _, value := range []string{"[64]", "{a: 1}"} {
		text := replace("frame: 64B", "frame: "+value)(good)
		_, err := topology.Parse("leaf.yaml", []byte(text), noFiles)
		require.ErrorContains(t, err, "leaf.yaml:2: headroom.frame: a ")
		require.Equal(t, 1, strings.Count(err.Error(), "frame"), err)
	}
}

func TestListsOfWhatIsAcceptedAreNotEmpty(t *testing.T) {
	_, err := topology.Parse("leaf.yaml", []byte("chip: tomahawk\nheadroom: {method: mlx5, frame: 64B}\nclasses: []\n"+
		"ports: [{name: e1, speed: 100G, cable: 5m, classes: [rdma]}]\n"), noFiles)
	require.ErrorContains(t, err, `ports[0].classes[0]: "rdma": want none: the file has no classes`)
	require.NotRegexp(t, `(?m)want *\)?$`, err.Error())
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("chip: tomahawk\nheadroom: &a {method: *a}\nclasses: *a\nports: *a\n")
	f.Add(`{"chip": "tomahawk", "ports": [{"range": "a0-4095"}], "classes": [{}]}`)
	f.Add("a: &a [*a]\n? [b]\n: c\n")
	for _, chip := range []string{"{name: jericho4, pool_bytes: 25766440000, cores: 8}", "{name: q4d, pool_bytes: 9}",
		"{name: silicon-one-p200, pool_bytes: 1099511627776, max_queue_bytes: 1}", "{name: jericho2, offload_gbps: 6400}",
		"{name: jericho3, memory_bytes: 1, cores: 64, pool_bytes: 64}", "&c {name: *c, cores: *c}"} {
		f.Add(strings.Replace(good, "chip: tomahawk", "chip: "+chip, 1))
	}
	f.Add(strings.Replace(good, "300m", "9e99m", 1))
	f.Fuzz(func(t *testing.T, text string) {
		in, err := topology.Parse("fuzz.yaml", []byte(text), noFiles)
		if err != nil {
			require.ErrorIs(t, err, buffer.ErrInvalid)
			require.Empty(t, in.Ports, "a refused file gives no intent")
			return
		}
		require.NoError(t, in.Validate())
		require.LessOrEqual(t, len(in.Ports), buffer.MaxPorts)
		if len(in.Ports) > 64 {
			return // planned in the tests of buffer
		}
		plan, err := buffer.New(in)
		if err != nil {
			require.ErrorIs(t, err, buffer.ErrInvalid)
			return
		}
		for _, s := range plan.Slices {
			require.Equal(t, s.Total, s.Chip+s.Reserved+s.Headroom+s.Shared+s.Unused)
		}
	})
}

func FuzzParseChip(f *testing.F) {
	for _, c := range asic.All() {
		text, err := json.Marshal(c)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := topology.ParseChip("chip.json", []byte(text))
		if err == nil {
			require.NoError(t, c.Validate())
		}
	})
}
