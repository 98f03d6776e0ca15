package nos_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// rowsOf is a switch's table with rows of 100G at these cable lengths in metres.
func rowsOf(metres ...int64) *table.Table {
	out := &table.Table{Name: "pg_profile_lookup.ini"}
	for _, m := range metres {
		out.Rows = append(out.Rows, table.Row{Rate: 100 * unit.Gbps, Cable: unit.Length(m) * unit.Metre, Size: 1248,
			XON:  2288,
			XOFF: 165568, Alpha: -3, XONOffset: unit.Given[unit.Bytes](2288)})
	}
	return out
}

// whole is the first file of a rendering, which is the whole plan.
func whole(t *testing.T, r *nos.Rendering) sonic.Database {
	t.Helper()
	db, err := sonic.ReadConfigDB(r.Files[0].Content)
	require.NoError(t, err)
	return db
}

func noted(r *nos.Rendering) string { return strings.Join(r.Notes, "\n") }

// The traditional manager binds a port by its speed and cable alone. Where ports of one speed and cable need several
// profiles, all but the ports with the most frequent one are left alone by it, under names that it does not know.
func TestSONiCSeveralProfilesOfASpeedAndCable(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Ports[2].Cable, in.Ports[1].Extra = 40*unit.Metre, 2*unit.Microsecond
	o := sonic.Options{ASIC: "th", Release: "202511", Current: shipped()}
	r := o.Render(planned(t, in))
	db := whole(t, r)
	require.Equal(t, sonic.Entry{"Ethernet0": "40m", "Ethernet4": "0m", "Ethernet8": "40m"}, db["CABLE_LENGTH"]["AZURE"])
	require.Equal(t, "pg_lossless_100000_40m_profile", db["BUFFER_PG"]["Ethernet0|3-4"]["profile"])
	own := db["BUFFER_PG"]["Ethernet4|3-4"]["profile"]
	require.True(t, strings.HasPrefix(own, "CW_LOSSLESS_1270_"), own)
	require.Greater(t, db["BUFFER_PROFILE"][own]["xoff"], db["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]["xoff"])
	require.Contains(t, noted(r), "CABLE_LENGTH is 0m for Ethernet4, so that SONiC's buffer manager leaves their groups alone: "+
		"other ports of the same speed and cable need another profile")
	require.True(t, r.Lossless())

	// The cable goes first, in a Set of its own: the updater takes the port down and up to
	// change its groups, and the manager binds them again when it comes up.
	require.Equal(t, "/CONFIG_DB/localhost/CABLE_LENGTH/AZURE/Ethernet4", nos.Text(r.Updates[0].Path))
	require.Equal(t, []int{0, 1}, []int{r.Updates[0].Phase, r.Updates[1].Phase})
	require.Equal(t, "first.json", r.Files[3].Name)
	require.NotContains(t, string(r.Files[1].Content), `"0m"`)
	o.Current = reloaded(t, o.Current, r)
	require.Empty(t, o.Render(planned(t, in)).Updates, "the second time nothing is sent")

	// The profile that the switch has under the name keeps it, whatever other ports need.
	in.Ports[2].Extra = 2 * unit.Microsecond
	require.Equal(t, "40m", whole(t, o.Render(planned(t, in)))["CABLE_LENGTH"]["AZURE"]["Ethernet0"])
}

// Two lossless classes on a port: the manager would add one entry of both groups beside the plan's two.
func TestSONiCTwoLosslessClasses(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Classes[0].Priorities = []int{3}
	in.Classes = append(in.Classes, buffer.Class{Name: "storage", Priorities: []int{4}, Lossless: true, MTU: 9216})
	r := sonic.Options{ASIC: "th"}.Render(planned(t, in))
	db := whole(t, r)
	require.Equal(t, sonic.Entry{"Ethernet0": "0m", "Ethernet4": "0m", "Ethernet8": "0m"}, db["CABLE_LENGTH"]["AZURE"])
	require.NotEqual(t, db["BUFFER_PG"]["Ethernet0|3"]["profile"], db["BUFFER_PG"]["Ethernet0|4"]["profile"])
	for name := range db["BUFFER_PROFILE"] {
		require.False(t, strings.HasPrefix(name, "pg_lossless_"), name)
	}
	require.Contains(t, noted(r), "its lossless groups have several profiles")
}

// NVIDIA's traditional manager deletes the groups of a port that goes down, and writes them
// again only from a row of its table.
func TestSONiCWithoutARow(t *testing.T) {
	plan := planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8"))
	for _, c := range []struct {
		asic  string
		table *table.Table
		want  []string // cables of Ethernet0 and Ethernet8
		says  string
	}{
		{"spc1", rowsOf(40, 301), []string{"40m", "301m"}, ""},
		{"spc1", rowsOf(40), []string{"40m", "0m"}, "the switch's table has no row for its speed and cable"},
		{"spc1", nil, []string{"0m", "0m"}, "the switch's table is not known (--sonic-table)"},
		{"th", rowsOf(40), []string{"40m", "301m"}, ""},
		{"th", nil, []string{"40m", "301m"}, ""},
	} {
		r := sonic.Options{ASIC: c.asic, Model: sonic.Traditional, Table: c.table}.Render(plan)
		cables := whole(t, r)["CABLE_LENGTH"]["AZURE"]
		require.Equal(t, c.want, []string{cables["Ethernet0"], cables["Ethernet8"]}, c)
		require.Contains(t, noted(r), c.says)
		require.True(t, r.Lossless())
	}
}

// A port of which the plan has a delay and no length of the cable does not become a port
// with a cable of 1 m, and one that the switch runs at another speed is not bound by it.
func TestSONiCWithoutALength(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Ports[0].Cable, in.Ports[0].Delay = 0, unit.Given(unit.Microsecond)
	in.Ports[2].Cable = 0
	o := sonic.Options{ASIC: "th", Release: "202511", Current: shipped()}
	o.Current["PORT"]["Ethernet4"]["speed"] = "40000"
	for _, model := range sonic.Models() {
		o.Model = sonic.Model(model)
		r := o.Render(planned(t, in))
		cables := whole(t, r)["CABLE_LENGTH"]["AZURE"]
		require.Equal(t, []string{"0m", "0m"}, []string{cables["Ethernet0"], cables["Ethernet8"]}, model)
		if model == "traditional" {
			require.Equal(t, "0m", cables["Ethernet4"])
			require.Contains(t, noted(r), "the switch runs it at 40000 Mb/s")
			require.Contains(t, noted(r), "the plan has no length of its cable")
		}
	}
}

// spectrum is a plan for NVIDIA's chip by SONiC's own formula.
func spectrum(t *testing.T, ports ...string) buffer.Intent {
	t.Helper()
	chip, known := method.LookupSONiCChip("spectrum-1")
	require.True(t, known)
	in := intent(ports...)
	in.Chip.Name, in.Chip.Cell, in.Chip.Slices[0].Cells = "spectrum-1", 96, 145269
	in.Sizing, in.Pool = method.SONiC{Chip: chip}, buffer.Pool{}
	in.Classes = []buffer.Class{{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, MTU: 1024},
		{Name: "best effort", Priorities: []int{0}}}
	for i := range in.Ports {
		in.Ports[i].Cable, in.Ports[i].MTU, in.Ports[i].Reserved = 40*unit.Metre, 9100, 0
	}
	return in
}

// The dynamic manager computes the pools, so none gets a size; the plan's profiles override
// its headroom under names that it gives to no port.
func TestSONiCDynamic(t *testing.T) {
	in := spectrum(t, "Ethernet0", "Ethernet4", "Ethernet8")
	o := sonic.Options{Release: "202511", Current: shipped()}
	o.Current["DEVICE_METADATA"]["localhost"] = sonic.Entry{"hwsku": "ACS-MSN2700", "buffer_model": "dynamic"}
	for _, e := range o.Current["BUFFER_POOL"] {
		delete(e, "size")
	}
	r := o.Render(planned(t, in))
	db := whole(t, r)
	require.Equal(t, sonic.Entry{"type": "ingress", "mode": "dynamic"}, db["BUFFER_POOL"]["ingress_lossless_pool"])
	name := db["BUFFER_PG"]["Ethernet0|3-4"]["profile"]
	require.Equal(t, "CW_LOSSLESS_67584_alpha0_xoff48128_xon19456", name)
	require.Equal(t, sonic.Entry{"pool": "ingress_lossless_pool", "dynamic_th": "0", "size": "67584", "xoff": "48128",
		"xon": "19456"}, db["BUFFER_PROFILE"][name], "the formula's bytes, and no xon_offset: NVIDIA's has none")
	require.Equal(t, "40m", db["CABLE_LENGTH"]["AZURE"]["Ethernet0"])
	require.True(t, r.Lossless())
	require.True(t, slices.ContainsFunc(r.Omitted, func(o nos.Omission) bool {
		return o.Kind == buffer.PoolShared && strings.Contains(o.Why, "computes the size")
	}))
	require.Contains(t, noted(r), "sonic-db-cli STATE_DB HGET 'BUFFER_MAX_PARAM_TABLE|Ethernet0' max_headroom_size "+
		"prints it")
	require.Contains(t, noted(r), "for 1 ingress pool and 2 egress pools without a size, for each (")
	o.Current["BUFFER_POOL"]["ingress_lossy_pool"] = sonic.Entry{"type": "ingress", "mode": "dynamic"}
	require.Contains(t, noted(o.Render(planned(t, in))),
		"for 2 ingress pools and 2 egress pools without a size, for each (by its formula, half of what is left: ")
	o.Current["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "1000"
	require.Contains(t, noted(o.Render(planned(t, in))),
		"the switch has a fixed size of ingress_lossless_pool, 1000 bytes")

	// A static threshold in a dynamic pool is dropped by the manager: it is not written.
	in.Classes[0].StaticLimit = unit.MiB
	r = o.Render(planned(t, in))
	require.NotContains(t, whole(t, r)["BUFFER_PG"], "Ethernet0|3-4")
	require.False(t, r.Lossless())

	// A port above the switch's limit of headroom, and one that takes too much of the shared
	// headroom pool: the manager drops their groups.
	in = spectrum(t, "Ethernet0", "Ethernet4", "Ethernet8")
	o.MaxHeadroom = unit.Given(200 * unit.KiB)
	require.Empty(t, o.Render(planned(t, in)).Undone)
	require.NotContains(t, noted(o.Render(planned(t, in))), "max_headroom_size")
	o.MaxHeadroom = unit.Given(190 * unit.KiB)
	require.Contains(t, o.Render(planned(t, in)).Undone[0].Why, "exceeds max_headroom_size, 194560B")
	// The same limit is too small for a port of eight lanes, whose latency and mirror count twice.
	o.MaxHeadroom = unit.Given(200 * unit.KiB)
	in.Ports[2].Lanes = 8
	require.Equal(t, "groups of Ethernet8", o.Render(planned(t, in)).Undone[0].What)
	in.Ports[2].Lanes = 0
	o.MaxHeadroom = unit.Optional[unit.Bytes]{}
	in.Pool.SharedHeadroom, in.Ports[1].Extra = 2*unit.MiB, 30*unit.Microsecond
	r = o.Render(planned(t, in))
	require.Equal(t, "groups of Ethernet4", r.Undone[0].What)
	require.Contains(t, r.Undone[0].Why, "port_max_shp")

	// A pool that the formula makes smaller than nothing is not kept.
	in = spectrum(t, "Ethernet0", "Ethernet4", "Ethernet8")
	in.Classes[1].QueueReserved = 5 * unit.MiB
	in.Pool.Size = 0
	plan := nos.Plan{Intent: in, Layout: planned(t, spectrum(t, "Ethernet0", "Ethernet4", "Ethernet8")).Layout}
	for i := range plan.Layout {
		if plan.Layout[i].Kind == buffer.GroupReserved {
			plan.Layout[i].Value = 30000
		}
	}
	r = o.Render(plan)
	require.False(t, r.Lossless())
	require.Contains(t, r.Undone[0].Why, "and keeps the previous one")
}

// Without the switch's configuration its model is not known: what NVIDIA's images have is assumed, and it is said.
func TestSONiCUnknownModel(t *testing.T) {
	plan := planned(t, spectrum(t, "Ethernet0", "Ethernet4", "Ethernet8"))
	r := sonic.System.Render(plan)
	require.False(t, r.Lossless())
	require.Contains(t, r.Undone[0].Why, "it is not known which buffer manager the switch runs (--sonic-model, or "+
		"--current)")
	require.NotContains(t, whole(t, r)["BUFFER_POOL"]["ingress_lossless_pool"], "size")
	for _, model := range sonic.Models() {
		r := sonic.Options{Model: sonic.Model(model)}.Render(plan)
		require.Empty(t, r.Undone, model)
	}
	for hwsku, want := range map[string]bool{"ACS-MSN2700": true, "Mellanox-SN4700-O28": true, "Force10-S6100": false} {
		o := sonic.Options{Current: shipped(), Model: sonic.Traditional}
		o.Current["DEVICE_METADATA"]["localhost"]["hwsku"] = hwsku
		cables := whole(t, o.Render(planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8"))))["CABLE_LENGTH"]["AZURE"]
		require.Equal(t, want, cables["Ethernet0"] == "0m", hwsku)
	}
}

// What a table says passes through: the switch rounds by itself. Without a table the floor
// of resuming (xon) is that of the switch's own table or profile.
func TestSONiCPassesTheTableThrough(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Ports[2].Cable = 40 * unit.Metre
	in.Chip.Rounding.ResumeOffset = 8
	in.Classes[0].XONOffset = unit.Optional[unit.Bytes]{}
	in.Classes[0].Reserved = unit.Optional[unit.Bytes]{}
	in.Sizing = rowsOf(40)
	profile := func(o sonic.Options) sonic.Entry {
		return whole(t, o.Render(planned(t, in)))["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
	}
	require.Equal(t, sonic.Entry{"pool": "ingress_lossless_pool", "dynamic_th": "-3", "size": "1248", "xoff": "165568",
		"xon": "2288", "xon_offset": "2288"}, profile(sonic.Options{ASIC: "th"}))

	in.Sizing = thresholds.IEEE{}
	require.Equal(t, "0", profile(sonic.Options{ASIC: "th"})["xon"])
	require.Equal(t, "2288", profile(sonic.Options{ASIC: "th", Table: rowsOf(40)})["xon"])
	o := sonic.Options{ASIC: "th", Release: "202511", Current: shipped()}
	o.Current["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"] = sonic.Entry{"xon": "1234"}
	require.Equal(t, "1234", profile(o)["xon"])
}

// A port with PFC gets the PFC watchdog that the other ports of the switch have; a port without PFC loses it.
func TestSONiCWatchdog(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Ports[1].Classes = 0b110
	o := sonic.Options{ASIC: "th", Release: "202511", Current: shipped()}
	values := sonic.Entry{"action": "drop", "detection_time": "200", "restoration_time": "400"}
	o.Current["PFC_WD"] = sonic.Table{"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet12": values,
		"Ethernet4": {"action": "alert"}, "Ethernet0": {"action": "forward"}}
	r := o.Render(planned(t, in))
	now, _ := paths(r)
	require.Contains(t, now, "PFC_WD/Ethernet8")
	require.Contains(t, now, "-PFC_WD/Ethernet4")
	db := made(t, o.Current, r.Updates)["PFC_WD"]
	require.Equal(t, sonic.Table{"GLOBAL": {"POLL_INTERVAL": "200"}, "Ethernet12": values,
		"Ethernet0": {"action": "forward"},
		"Ethernet8": {"action": "forward"}}, db, "a port's own stays; the first port's values are taken")
	o.ASIC = "jr2"
	_, waiting := paths(o.Render(planned(t, in)))
	require.Contains(t, waiting, "PFC_WD/Ethernet8")
	o.Current = shipped()
	require.Contains(t, noted(o.Render(planned(t, in))), "no PFC watchdog is written")
}

// Packet trimming is kept: a queue's profile that is made after the switch's own trims as
// that one does, and a profile that trims is not taken for one that drops.
func TestSONiCPacketTrimming(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Classes[1].QueueReserved = 508
	o := sonic.Options{ASIC: "th5", Release: "202511", Current: shipped()}
	o.Current["BUFFER_PROFILE"]["egress_lossy_profile"]["packet_discard_action"] = "trim"
	o.Current["BUFFER_PROFILE"]["theirs"] = sonic.Entry{"pool": "ingress_lossless_pool", "size": "254", "dynamic_th": "0",
		"packet_discard_action": "trim"}
	r := o.Render(planned(t, in))
	db := made(t, o.Current, r.Updates)
	require.Equal(t, sonic.Entry{"pool": "egress_lossy_pool", "size": "508", "dynamic_th": "3",
		"packet_discard_action": "trim"},
		db["BUFFER_PROFILE"]["CW_QUEUE_LOSSY_508_alpha3_trim"])
	require.Equal(t, "CW_LOSSY_254_alpha0", db["BUFFER_PG"]["Ethernet0|0"]["profile"])

	// The updater adds and replaces the field on some chips.
	for _, c := range []struct {
		asic, release string
		now           bool
	}{{"th5", "202511", true}, {"th6", "202511", false}, {"th6", "202605", true}, {"th", "master", false},
		{"spc6", "master", true}} {
		o.ASIC, o.Release, o.Current, o.Table = c.asic, "master", copied(db), rowsOf(40, 301)
		o.Current = reloaded(t, o.Current, o.Render(planned(t, in)))
		o.Release = c.release
		delete(o.Current["BUFFER_PROFILE"]["CW_QUEUE_LOSSY_508_alpha3_trim"], "packet_discard_action")
		now, waiting := paths(o.Render(planned(t, in)))
		const path = "BUFFER_PROFILE/CW_QUEUE_LOSSY_508_alpha3_trim/packet_discard_action"
		require.Equal(t, c.now, slices.Contains(now, path), c)
		require.Equal(t, !c.now, slices.Contains(waiting, path), c)
	}
}
