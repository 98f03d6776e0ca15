package nos_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
	"github.com/cellwarden/cellwarden/nos/junos"
	"github.com/cellwarden/cellwarden/nos/nxos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/nos/srlinux"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files, then read the diff")

// renderers are the dialects, each with the names that its switches give ports.
var renderers = []struct {
	name   string
	ports  []string
	render func(nos.Plan) *nos.Rendering
}{
	{"sonic", []string{"Ethernet0", "Ethernet4", "Ethernet8"}, sonic.System.Render},
	{"srlinux", []string{"ethernet-1/1", "ethernet-1/2", "ethernet-1/3"}, srlinux.System.Render},
	{"junos", []string{"et-0/0/0", "et-0/0/1", "et-0/0/2"}, junos.System.Render},
	{"eos", []string{"Ethernet1/1", "Ethernet2/1", "Ethernet3/1"}, eos.System.Render},
	{"nxos", []string{"Ethernet1/1", "Ethernet1/2", "Ethernet1/3"}, nxos.System.Render},
}

// intent is two lossless priorities of storage, one of them with a class of its
// own, and lossy ones; the third port has a longer cable.
func intent(ports ...string) buffer.Intent {
	eighth := thresholds.Alpha(-3)
	in := buffer.Intent{
		Chip: buffer.Chip{Name: "small", Cell: 254, Slices: []buffer.Slice{{Cells: 50000}}, MinAlpha: -8, MaxAlpha: 7,
			Groups: pg.PerPort},
		Pool: buffer.Pool{SharedHeadroom: 4 * unit.MiB}, Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{
			{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, Reserved: unit.Given[unit.Bytes](1270), Alpha: &eighth,
				MTU: 4096, XONOffset: unit.Given[unit.Bytes](3556),
				ECN: ecn.Thresholds{KMin: 100 * unit.KiB, KMax: 400 * unit.KiB, PMax: 5 * unit.OnePercent}},
			{Name: "best effort", Priorities: []int{0, 1, 2, 5}, Reserved: unit.Given[unit.Bytes](254)},
			{Name: "control", Priorities: []int{6}, Reserved: unit.Given[unit.Bytes](254), StaticLimit: 64 * unit.KiB},
		},
	}
	for i, name := range ports {
		in.Ports = append(in.Ports, buffer.Port{Name: name, Rate: 100 * unit.Gbps, Cable: []unit.Length{40 * unit.Metre,
			40 * unit.Metre, 300*unit.Metre + 1}[i], MTU: 9216, Reserved: []unit.Bytes{0, 2540, 0}[i]})
	}
	return in
}

// scheduled is the same with weights and DSCPs.
func scheduled(ports ...string) buffer.Intent {
	in := intent(ports...)
	in.Classes[0].Weight, in.Classes[1].Weight, in.Classes[2].Strict = 60, 40, true
	in.DSCP = pg.DSCPMap{3: pg.Points(24, 26), 6: pg.Points(48)}
	return in
}

func planned(t testing.TB, in buffer.Intent) nos.Plan {
	t.Helper()
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
	return nos.Plan{Intent: in, Layout: plan.Layout()}
}

// TestGolden writes one plan in every dialect. A rendering is the same each
// time, of the schema where it is a document, and nothing of the plan is silently left out.
func TestGolden(t *testing.T) {
	for _, r := range renderers {
		t.Run(r.name, func(t *testing.T) {
			plan := planned(t, scheduled(r.ports...))
			got := r.render(plan)
			require.Equal(t, r.name, got.Dialect)
			for _, f := range got.Files {
				golden(t, r.name+"-"+f.Name, f.Content)
			}
			golden(t, r.name+"-omitted.txt", omissions(got))
			require.Equal(t, got, r.render(plan), "the same again")
			if schemas[r.name] == nil { // commands: package nos/registry reads them back
				return
			}
			require.NoError(t, conforms(schemas[r.name], document(t, got.Files[0].Content), ""))
		})
	}
}

// golden compares with a file, or rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *rewrite {
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), name)
}

func omissions(r *nos.Rendering) []byte {
	var b strings.Builder
	for _, o := range r.Omitted {
		fmt.Fprintf(&b, "%d x %v (critical %v): %s\n", o.Count, o.Name(), o.Critical, o.Why)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(&b, "note: "+n)
	}
	return []byte(b.String())
}

func document(t testing.TB, data []byte) any {
	t.Helper()
	var out any
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// Every kind of register is carried, which changes the text, or omitted, which is said.
func TestNothingIsSilentlyOmitted(t *testing.T) {
	effort.SkipShort(t, "it renders many plans")
	for _, r := range renderers {
		in := groupedIntent(r.ports...)
		in.Classes[0].QueueReserved = 508
		in.Classes[0].Alpha = new(thresholds.Alpha(1))
		in.Classes = append(in.Classes, buffer.Class{Name: "credits", Priorities: []int{7}, Credits: true, Weight: 1,
			ETS: unit.Given(1), Reserved: unit.Given[unit.Bytes](25400), StaticLimit: 2540})
		in.Ports[2].Credits, in.Ports[2].SharedCredits = true, 25400
		plan := planned(t, in)
		whole := r.render(plan)
		for _, k := range buffer.Kinds() {
			said := slices.ContainsFunc(whole.Omitted,
				func(o nos.Omission) bool { return o.Kind == k && o.Count > 0 && o.Why != "" })
			changed := false
			for i, s := range plan.Layout {
				if s.Kind != k || changed {
					continue
				}
				other := slices.Clone(plan.Layout)
				other[i].Value++
				if k == buffer.GroupLossless {
					other[i].Value = 0
				} else if k == buffer.QueueECNPMax {
					other[i].Value += 100
				} else if k == buffer.QueueShare { // Junos has whole percents
					other[i].Value += 30
				}
				changed = string(r.render(nos.Plan{Intent: plan.Intent,
					Layout: other}).Files[0].Content) != string(whole.Files[0].Content)
			}
			if k == buffer.PoolHeadroom && r.name == "sonic" {
				changed = true // the operator's own number is taken as it is
			}
			half := k == buffer.GroupHeadroom && (r.name == "junos" || r.name == "srlinux") || k == buffer.GroupLossless &&
				r.name != "sonic" && r.name != "nxos"
			half = half || r.name == "nxos" && (k == buffer.GroupReserved || k == buffer.GroupStatic ||
				k == buffer.GroupXONOffset)
			if half {
				require.True(t, said, "%s %v: there are words for a part of it, and it is said what they lack", r.name, k)
				continue
			}
			require.NotEqual(t, said, changed, "%s %v: either carried or said to be omitted", r.name, k)
		}
	}
}

func TestLossless(t *testing.T) {
	for _, r := range renderers {
		require.False(t, r.render(planned(t, intent(r.ports...))).Lossless(), r.name)
	}
	on := planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8"))
	require.Contains(t, sonic.System.Render(on).Undone[0].Why, "it is not known who made the chip")
	require.True(t, sonic.Options{ASIC: "th"}.Render(on).Lossless())
	lossy := intent("a", "b", "c")
	lossy.Classes, lossy.Pool = lossy.Classes[1:], buffer.Pool{}
	for _, r := range renderers {
		require.True(t, r.render(planned(t, lossy)).Lossless(), "%s: there is nothing to lose", r.name)
	}
}

// A port that was refused is in no rendering.
func TestRefusedPortsAreNotRendered(t *testing.T) {
	for _, r := range renderers {
		plan := planned(t, intent(r.ports...))
		plan.Layout = plan.Layout.Only(func(reg buffer.Register) bool { return reg.Port != r.ports[1] })
		text := string(r.render(plan).Files[0].Content)
		require.Contains(t, text, r.ports[0])
		require.NotContains(t, text, r.ports[1]+`"`)
		require.NotContains(t, text, r.ports[1]+"\n")
	}
}

// Without a shared pool of headroom the headroom is in the profile's size.
func TestSONiCSizes(t *testing.T) {
	type db map[string]map[string]map[string]string
	read := func(in buffer.Intent) (out db) {
		require.NoError(t, json.Unmarshal(sonic.System.Render(planned(t, in)).Files[0].Content, &out))
		return out
	}
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	pooled := read(in)
	require.Equal(t, "1270", pooled["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]["size"])
	require.Equal(t, "4194304", pooled["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"],
		"the operator's bytes, not whole cells")
	require.Equal(t, "301m", pooled["CABLE_LENGTH"]["AZURE"]["Ethernet8"], "a millimetre more than 300 m is 301")
	in.Pool = buffer.Pool{}
	dedicated := read(in)["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
	var size, xoff int
	_, err := fmt.Sscan(dedicated["size"]+" "+dedicated["xoff"], &size, &xoff)
	require.NoError(t, err)
	require.Equal(t, 1270+xoff, size)
	require.NotContains(t, read(in)["BUFFER_POOL"]["ingress_lossless_pool"], "xoff")
}

// Classes with another content get profiles of their own, with names that CONFIG_DB can hold.
func TestSONiCProfilesOfClasses(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	two := thresholds.Alpha(9)
	in.Chip.MaxAlpha = 9
	in.Classes[1].Alpha, in.Classes[2].Reserved = &two, unit.Given[unit.Bytes](1016)
	in.Classes[0].ECN.PMax = 50
	r := sonic.System.Render(planned(t, in))
	text := string(r.Files[0].Content)
	require.Contains(t, text, `"CW_LOSSY_1016_static65536"`)
	require.Contains(t, text, `"dynamic_th": "7"`)
	require.Contains(t, text, `"green_drop_probability": "1"`)
	require.Contains(t, strings.Join(r.Notes, "\n"), "dynamic_th is -8 to 7")
	require.Contains(t, strings.Join(r.Notes, "\n"), "rounded to the nearest whole percent")
	in.Ports[0].Name = "Ethernet1/1"
	r = sonic.System.Render(planned(t, in))
	require.Contains(t, strings.Join(r.Notes, "\n"), "these ports of the plan have other names: Ethernet1/1")
	r = sonic.Options{Release: "202511"}.Render(planned(t, in))
	require.Contains(t, string(r.Files[1].Content), `"/PORT_QOS_MAP/Ethernet1~11/pfc_enable"`, "a slash in a JSON pointer")
}

// The two parts of SONiC's make the whole, whatever is known of the switch, and
// the patch of a release of today touches no pool.
func TestSONiCParts(t *testing.T) {
	for _, release := range []string{"", "202405", "202511", "master"} {
		r := sonic.Options{Release: release, ASIC: "th"}.Render(planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8")))
		whole := document(t, r.Files[0].Content).(map[string]any)
		built := document(t, r.Files[2].Content).(map[string]any)
		require.NotNil(t, built["BUFFER_POOL"], release)
		for _, o := range document(t, r.Files[1].Content).([]any) {
			op := o.(map[string]any)
			require.Equal(t, "add", op["op"])
			parts := strings.Split(op["path"].(string), "/")[1:]
			require.NotEqual(t, "BUFFER_POOL", parts[0])
			at := built
			for _, p := range parts[:len(parts)-1] {
				if at[p] == nil {
					at[p] = map[string]any{}
				}
				at = at[p].(map[string]any)
			}
			require.Nil(t, at[parts[len(parts)-1]], "in one part alone")
			at[parts[len(parts)-1]] = op["value"]
		}
		require.Equal(t, whole, built, release)
	}
}

func TestWords(t *testing.T) {
	require.Equal(t, "0-2,5", rendering.Range([]int{0, 1, 2, 5}))
	require.Equal(t, "3-4", rendering.Range([]int{3, 4}))
	require.Equal(t, "", rendering.Range(nil))
	for in, want := range map[unit.Length]int64{0: 1, 1: 1, 1000: 1, 1001: 2, 300 * unit.Metre: 300} {
		require.Equal(t, want, nos.Metres(in))
	}
	for in, want := range map[unit.Percent]int64{0: 0, 1: 1, 49: 1, 149: 1, 150: 2, 500: 5} {
		whole, exact := rendering.WholePercent(in)
		require.Equal(t, want, whole)
		require.Equal(t, int64(in) == want*100, exact)
	}
}

// What a Set carries is listed path by path, and is all that the first file has; Junos's is not sent, and says why.
func TestUpdates(t *testing.T) {
	for _, r := range renderers[1:] {
		in := intent(r.ports...)
		in.Ports[1].Classes = 0b110 // without the lossless one
		got := r.render(planned(t, in))
		var b strings.Builder
		for _, u := range got.Updates {
			fmt.Fprintf(&b, "%d %s %s %s %v\n", u.Phase, u.Origin, nos.Text(u.Path), u.JSON, u.Carries)
		}
		if got.NotSent != "" {
			require.Empty(t, got.Updates)
			fmt.Fprintln(&b, "not sent: "+got.NotSent)
		}
		golden(t, r.name+"-updates.txt", []byte(b.String()))
	}
}

// A lossless group is expressed only if the switch sends PFC frames for it and has its
// headroom. SR Linux, Junos and EOS have words for a part of that.
func TestOneRuleOfLossless(t *testing.T) {
	for _, r := range renderers {
		got := r.render(planned(t, intent(r.ports...)))
		said := slices.ContainsFunc(got.Omitted, func(o nos.Omission) bool {
			return o.Kind == buffer.GroupLossless && o.Critical && o.Count == 6 && o.Why != ""
		})
		require.Equal(t, r.name != "sonic" && r.name != "nxos", said, r.name)
	}
}

// SR Linux generates PFC frames for the priorities of a pfc-mapping-profile, and its own
// queues have the names pfc0 to pfc7.
func TestSRLinuxGeneratesPFC(t *testing.T) {
	in := intent("ethernet-1/1", "ethernet-1/2", "ethernet-1/3")
	in.Classes[0].Priorities, in.Ports[2].Classes = []int{3}, 0b11
	in.Classes = append(in.Classes, buffer.Class{Name: "storage", Priorities: []int{4}, Lossless: true, MTU: 4096})
	in.DSCP[3] = pg.Points(26)
	r := srlinux.System.Render(planned(t, in))
	text := string(r.Files[0].Content)
	for _, want := range []string{`"pfc-mapping-profile": "cellwarden-3-4"`, `"pfc-mapping-profile": "cellwarden-3"`,
		`"pfc-pause-frame-priority": 4`, `"pfc-queue-name": "pfc3"`} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "pfcq")
	why := func(r *nos.Rendering, what string) nos.Omission {
		i := slices.IndexFunc(r.Omitted, func(o nos.Omission) bool { return o.What == what })
		require.GreaterOrEqual(t, i, 0, what)
		return r.Omitted[i]
	}
	require.Contains(t, why(r, "PFC reservation").Why, "that is 34 percent of the chip's whole memory")
	require.True(t, why(r, "PFC reservation").Critical)
	require.Contains(t, why(r, "queues that react").Why, "of the priorities 3-4")
	classes := why(r, "forwarding classes")
	require.True(t, classes.Critical)
	require.Contains(t, classes.Why, "needed: that of pfc3 for DSCP 26")
	require.NotContains(t, classes.Why, "pfc4", "the plan has no DSCP of it")
	in.Pool, in.DSCP = buffer.Pool{}, pg.DSCPMap{}
	r = srlinux.System.Render(planned(t, in))
	require.Contains(t, why(r, "PFC reservation").Why, "10 percent of the chip's whole memory")
	require.False(t, why(r, "forwarding classes").Critical, "packets with an 802.1p value need none")
	require.Less(t, slices.IndexFunc(r.Updates,
		func(u nos.Update) bool { return u.Path[1].Name == "pfc-mapping-profile" }),
		slices.IndexFunc(r.Updates, func(u nos.Update) bool { return u.Path[1].Name == "interfaces" }),
		"what is pointed at first")
}

// A plan with DSCPs is for packets without a VLAN tag: Junos' PFC is keyed to them, and
// without DSCPs to the 802.1p value.
func TestJunosIsKeyedToDSCP(t *testing.T) {
	ports := []string{"et-0/0/0", "et-0/0/1", "et-0/0/2"}
	in := scheduled(ports...)
	in.DSCP = pg.DSCPMap{3: pg.Points(26), 4: pg.Points(28, 30), 6: pg.Points(48)}
	r := junos.System.Render(planned(t, in))
	text := string(r.Files[0].Content)
	require.NoError(t, conforms(schemas["junos"], document(t, r.Files[0].Content), ""))
	for _, want := range []string{`"name": "011010"`, `"name": "011110"`, `"pfc-priority": 4`, `"name": "cellwarden-6"`,
		`"name": "cellwarden-3-26-4-28-4-30-6-48"`, `"xon": 14`} {
		require.Contains(t, text, want)
	}
	input := func(r *nos.Rendering) map[string]any {
		whole := document(t, r.Files[0].Content).(map[string]any)["junos-qfx-conf-root:configuration"].(map[string]any)
		service := whole["junos-qfx-conf-class-of-service:class-of-service"].(map[string]any)
		return service["congestion-notification-profile"].([]any)[0].(map[string]any)["input"].(map[string]any)
	}
	require.Contains(t, input(r), "dscp")
	require.NotContains(t, input(r), "ieee-802.1", "one profile is not keyed to both")
	require.NotContains(t, strings.Join(r.Notes, "\n"), "never paused")
	require.Contains(t, r.NotSent, "rendered only")

	in.DSCP = pg.DSCPMap{3: pg.Points(26)}
	mixed := junos.System.Render(planned(t, in))
	require.False(t, mixed.Lossless())
	require.Contains(t, mixed.Undone[0].Why, "a port has lossless priorities with DSCPs beside others without")
	in.DSCP = pg.DSCPMap{}
	tagged := junos.System.Render(planned(t, in))
	require.Contains(t, input(tagged), "ieee-802.1")
	require.Contains(t, strings.Join(tagged.Notes, "\n"), "are never paused there")
	require.NoError(t, conforms(schemas["junos"], document(t, tagged.Files[0].Content), ""))
	require.Empty(t, tagged.Undone)
	for _, want := range []string{`"name": "cellwarden-802.1p-3-4"`, `"name": "fcoe"`, `"no-loss": [`} {
		require.Contains(t, string(tagged.Files[0].Content), want)
	}
}

// A delay that no cable has is told to Junos, which computes the headroom, as a longer cable.
func TestJunosIsToldOfDelays(t *testing.T) {
	in := intent("et-0/0/0", "et-0/0/1", "et-0/0/2")
	in.Ports[0].Cable, in.Ports[0].Delay = 0, unit.Given(unit.Microsecond)
	in.Ports[1].Extra = 2 * unit.Microsecond
	r := junos.System.Render(planned(t, in))
	for _, want := range []string{`"cable-length": "200"`, `"cable-length": "440"`, `"cable-length": "301"`} {
		require.Contains(t, string(r.Files[0].Content), want)
	}
	require.Contains(t, strings.Join(r.Notes, "\n"), "cable-length is longer than the cable")
	require.NotContains(t, strings.Join(junos.System.Render(planned(t, intent("et-0/0/0", "et-0/0/1", "et-0/0/2"))).Notes,
		"\n"), "longer than the cable")
}

// EOS drops no packets of priorities-no-drop only once PFC is on, which is a command.
func TestEOSHasTheCommands(t *testing.T) {
	in := intent("Ethernet1/1", "Ethernet2/1", "Ethernet3/1")
	in.Ports[1].Classes = 0b110
	r := eos.System.Render(planned(t, in))
	require.Equal(t, "pfc.cli", r.Files[1].Name)
	require.Equal(t, `interface Ethernet1/1
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control priority 4 no-drop
interface Ethernet2/1
   no priority-flow-control on
interface Ethernet3/1
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control priority 4 no-drop
`, string(r.Files[1].Content))
}

// No switch takes credits: each dialect says so of every register of channels, and calls it needed.
func TestCreditsAreOmitted(t *testing.T) {
	for _, r := range renderers {
		in := intent(r.ports...)
		in.Ports[0].Credits, in.Ports[0].SharedCredits, in.Classes[0].Alpha = true, 2540, new(thresholds.Alpha(1))
		rendering, found := r.render(planned(t, in)), map[buffer.Kind]bool{}
		for _, o := range rendering.Omitted {
			if o.What == "" && o.Kind.OfCredits() {
				require.Contains(t, o.Why, "credit-based flow control (CBFC) was found", r.name)
				require.True(t, o.Critical, "%s: %v", r.name, o.Kind)
				found[o.Kind] = true
			}
		}
		require.Equal(t, map[buffer.Kind]bool{buffer.PortCredits: true, buffer.ChannelTraffic: true,
			buffer.ChannelReserved: true, buffer.ChannelAlpha: true}, found, r.name)
		require.False(t, rendering.Lossless(), r.name)
	}
}

// database is a file of CONFIG_DB.
type database map[string]map[string]map[string]string

// A port with credits keeps what SONiC has of its PFC and its map of groups: empty, they would lead lossless priorities
// to groups without a profile. That is said, and the plan is not lossless.
func TestCreditsLeavePFCOfSONiC(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Ports[0].Credits, in.Ports[0].SharedCredits, in.Classes[0].Alpha = true, 2540, new(thresholds.Alpha(1))
	now := sonic.Database{"PORT": {"Ethernet0": {}, "Ethernet4": {}, "Ethernet8": {}},
		"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4", "tc_to_pg_map": "AZURE"}},
		"PFC_WD":       {"Ethernet0": {"action": "drop"}},
		"BUFFER_PG":    {"Ethernet0|3-4": {"profile": "pg_lossless_100000_40m_profile"}}}
	for _, o := range []sonic.Options{{ASIC: "th"}, {ASIC: "th", Release: "202511", Current: now}} {
		r := o.Render(planned(t, in))
		for _, f := range r.Files {
			require.NotContains(t, string(f.Content), `"pfc_enable": ""`, f.Name)
			require.NotContains(t, string(f.Content), "/PORT_QOS_MAP/Ethernet0", f.Name)
			require.NotContains(t, string(f.Content), "/BUFFER_PG/Ethernet0|3-4", f.Name)
			require.NotContains(t, string(f.Content), "/PFC_WD/Ethernet0", f.Name)
		}
		var whole database
		require.NoError(t, json.Unmarshal(r.Files[0].Content, &whole))
		require.NotContains(t, whole["PORT_QOS_MAP"], "Ethernet0")
		require.Equal(t, "3,4", whole["PORT_QOS_MAP"]["Ethernet4"]["pfc_enable"])
		i := slices.IndexFunc(r.Omitted, func(o nos.Omission) bool { return o.What == "PORT_QOS_MAP of Ethernet0" })
		require.GreaterOrEqual(t, i, 0, "%v", r.Omitted)
		require.True(t, r.Omitted[i].Critical)
		require.Contains(t, r.Omitted[i].Why, "groups without a profile")
		require.False(t, r.Lossless())
	}
}

// The models of PORT_QOS_MAP before 202505 want a priority in pfc_enable. A port without PFC gets none there, and one
// that has PFC keeps it, with its groups and its watchdog, until the field is removed before a reload.
func TestSONiCWithAnEmptyPFC(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Ports[0].Classes = 0b110 // without rdma
	now := func(pfc string) sonic.Database {
		e := sonic.Entry{"tc_to_pg_map": "AZURE"}
		if pfc != "" {
			e["pfc_enable"] = pfc
		}
		return sonic.Database{"PORT": {"Ethernet0": {}, "Ethernet4": {}, "Ethernet8": {}},
			"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0"}},
			"BUFFER_POOL":              {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"}},
			"PORT_QOS_MAP":             {"Ethernet0": e},
			"PFC_WD":                   {"Ethernet0": {"action": "drop"}},
			"BUFFER_PROFILE":           {"pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1270"}},
			"BUFFER_PG":                {"Ethernet0|3-4": {"profile": "pg_lossless_100000_40m_profile"}}}
	}
	const path = "/CONFIG_DB/localhost/PORT_QOS_MAP/Ethernet0/pfc_enable"
	for _, release := range []string{"", "202411", "202505", "master"} {
		late := release == "202505" || release == "master"
		for pfc, current := range map[string]sonic.Database{"3,4": now("3,4"), "": now(""), "not known": nil} {
			name := fmt.Sprintf("%s with %q", release, pfc)
			r := sonic.Options{ASIC: "th", Release: release, Current: current}.Render(planned(t, in))
			sent := slices.ContainsFunc(r.Updates, func(u nos.Update) bool { return nos.Text(u.Path) == path })
			require.Equal(t, late, sent, name)
			require.Equal(t, !late, !strings.Contains(string(r.Files[0].Content), `"pfc_enable": ""`), name)
			require.Equal(t, !late && pfc == "not known", slices.ContainsFunc(r.Omitted, func(o nos.Omission) bool {
				return o.What == "an empty pfc_enable of Ethernet0"
			}), name)
			var waits []string
			for _, w := range r.Waiting {
				if strings.Contains(w.Why, "refuses an empty pfc_enable") {
					waits = append(waits, strings.TrimPrefix(w.Path, "/CONFIG_DB/localhost/"))
					require.Equal(t, w.Path == path, w.Critical && strings.Contains(w.Path, "PORT_QOS_MAP"), name)
				}
			}
			if late || pfc != "3,4" {
				require.Empty(t, waits, name)
				continue
			}
			require.Equal(t, []string{"BUFFER_PG/Ethernet0|3-4", "PORT_QOS_MAP/Ethernet0/pfc_enable", "PFC_WD/Ethernet0"},
				waits, name)
			require.Contains(t, strings.Join(r.Notes, "\n"), "remove these entries by hand before the reload: ", name)
		}
	}
}

// PFC without headroom is written for SONiC, whose buffer manager is kept from making headroom for it; the other
// dialects say that they leave it out.
func TestPFCWithoutHeadroom(t *testing.T) {
	for _, d := range renderers {
		in := intent(d.ports...)
		in.Ports[1].PFCWithoutHeadroom = 1 << 6
		p, err := buffer.New(in)
		require.NoError(t, err)
		r := d.render(nos.Plan{Intent: in, Layout: p.Layout()})
		said := slices.ContainsFunc(r.Omitted, func(o nos.Omission) bool {
			return o.What == "PFC without headroom of "+d.ports[1]
		})
		require.Equal(t, d.name != "sonic", said, d.name)
		if d.name != "sonic" {
			continue
		}
		require.Contains(t, string(r.Files[0].Content), `"pfc_enable": "3,4,6"`)
		require.Contains(t, string(r.Files[0].Content), `"Ethernet4": "0m"`)
		require.Contains(t, strings.Join(r.Notes, "\n"), "CABLE_LENGTH is 0m for Ethernet4, so that SONiC's buffer manager "+
			"leaves their groups alone: it has PFC without headroom, and the manager would give these priorities headroom")
	}
}
