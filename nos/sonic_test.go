package nos_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// shipped is a switch as it comes: the pools and profiles of SONiC's templates
// for a Broadcom chip, three ports, and nothing of cellwarden's.
func shipped() sonic.Database {
	db := sonic.Database{
		"DEVICE_METADATA": {"localhost": {"hwsku": "Force10-S6100"}},
		"PORT": {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000"},
			"Ethernet8": {"speed": "100000"}, "Ethernet12": {"speed": "100000"}},
		"BUFFER_POOL": {
			"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10875072", "xoff": "4194112"},
			"egress_lossless_pool":  {"type": "egress", "mode": "static", "size": "15982720"},
			"egress_lossy_pool":     {"type": "egress", "mode": "dynamic", "size": "9243812"},
		},
		"BUFFER_PROFILE": {
			"ingress_lossy_profile":   {"pool": "ingress_lossless_pool", "size": "0", "static_th": "10875072"},
			"egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "15982720"},
			"egress_lossy_profile":    {"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "3"},
		},
		"CABLE_LENGTH": {"AZURE": {}},
		"PORT_QOS_MAP": {},
		"BUFFER_PG":    {},
		"BUFFER_QUEUE": {},
		"QUEUE":        {},
		"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0", "1": "0", "2": "0", "3": "3", "4": "4", "5": "0", "6": "0",
			"7": "7"}},
		"BUFFER_PORT_INGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": "ingress_lossy_profile"}},
	}
	for port := range db["PORT"] {
		db["CABLE_LENGTH"]["AZURE"][port] = "5m"
		db["PORT_QOS_MAP"][port] = sonic.Entry{"pfc_enable": "3,4", "tc_to_pg_map": "AZURE", "dscp_to_tc_map": "AZURE"}
		db["BUFFER_PG"][port+"|0"] = sonic.Entry{"profile": "ingress_lossy_profile"}
		db["BUFFER_QUEUE"][port+"|0-2"] = sonic.Entry{"profile": "egress_lossy_profile"}
		db["BUFFER_QUEUE"][port+"|3-4"] = sonic.Entry{"profile": "egress_lossless_profile"}
		db["BUFFER_QUEUE"][port+"|5-6"] = sonic.Entry{"profile": "egress_lossy_profile"}
		for _, n := range []string{"0", "1", "2", "3", "4"} {
			db["QUEUE"][port+"|"+n] = sonic.Entry{"scheduler": "scheduler.0"}
		}
	}
	return db
}

// made is a switch after the updates.
func made(t testing.TB, db sonic.Database, updates []nos.Update) sonic.Database {
	t.Helper()
	out := copied(db)
	for _, u := range updates {
		require.Equal(t, sonic.Origin, u.Origin)
		require.Equal(t, "/CONFIG_DB/localhost", nos.Text(u.Path[:2]))
		parts := u.Path[2:]
		name := parts[0].Name
		switch {
		case len(parts) == 1 && u.JSON == nil:
			delete(out, name)
		case len(parts) == 1:
			require.Empty(t, out[name], "a table is sent as a whole only if it is not there")
			table, err := sonic.ReadTable(u.JSON)
			require.NoError(t, err)
			out[name] = table
		case u.JSON == nil && len(parts) == 2:
			require.Contains(t, out[name], parts[1].Name)
			delete(out[name], parts[1].Name)
			require.NotEmpty(t, out[name], "the updater refuses an empty table")
		case u.JSON == nil:
			delete(out[name][parts[1].Name], parts[2].Name)
		case len(parts) == 2:
			require.NotEmpty(t, out[name], "an entry goes into a table that is there")
			var e sonic.Entry
			require.NoError(t, json.Unmarshal(u.JSON, &e))
			out[name][parts[1].Name] = e
		default:
			require.Contains(t, out[name], parts[1].Name, "a field goes into an entry that is there")
			var v string
			require.NoError(t, json.Unmarshal(u.JSON, &v))
			out[name][parts[1].Name][parts[2].Name] = v
		}
	}
	return out
}

func copied(db sonic.Database) sonic.Database {
	out := sonic.Database{}
	for name, table := range db {
		out[name] = sonic.Table{}
		for key, e := range table {
			out[name][key] = maps.Clone(e)
		}
	}
	return out
}

// reloaded is a switch after a reload of what waited, too.
func reloaded(t testing.TB, db sonic.Database, r *nos.Rendering) sonic.Database {
	t.Helper()
	out := made(t, db, r.Updates)
	parts, err := sonic.ReadConfigDB(r.Files[2].Content)
	require.NoError(t, err)
	for name, table := range parts {
		if out[name] == nil {
			out[name] = sonic.Table{}
		}
		for key, e := range table {
			if out[name][key] == nil {
				out[name][key] = sonic.Entry{}
			}
			maps.Copy(out[name][key], e)
		}
	}
	return out
}

func paths(r *nos.Rendering) (now, waiting []string) {
	for _, u := range r.Updates {
		text := strings.TrimPrefix(nos.Text(u.Path), "/CONFIG_DB/localhost/")
		if u.JSON == nil {
			text = "-" + text
		}
		now = append(now, text)
	}
	for _, w := range r.Waiting {
		waiting = append(waiting, strings.TrimPrefix(w.Path, "/CONFIG_DB/localhost/"))
	}
	return now, waiting
}

// On a switch as shipped, with today's updater, all but the pool goes at once, and then nothing more.
func TestSONiCOnAShippedSwitch(t *testing.T) {
	plan := planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8"))
	o := sonic.Options{ASIC: "th", Release: "202511", Current: shipped()}
	r := o.Render(plan)
	golden(t, "sonic-current-now.json", r.Files[1].Content)
	golden(t, "sonic-current-reload.json", r.Files[2].Content)
	_, waiting := paths(r)
	require.Equal(t, []string{"BUFFER_POOL/ingress_lossless_pool/size", "BUFFER_POOL/ingress_lossless_pool/xoff"}, waiting)
	require.True(t, r.NeedsReload())

	o.Current = made(t, o.Current, r.Updates)
	again := o.Render(plan)
	require.Empty(t, again.Updates, "the second time nothing is sent")
	require.Len(t, again.Waiting, 2)
	o.Current = reloaded(t, o.Current, again)
	require.Empty(t, o.Render(plan).Updates)
	require.Empty(t, o.Render(plan).Waiting)
	require.Equal(t, sonic.Entry{"speed": "100000"}, o.Current["PORT"]["Ethernet0"])
	require.Equal(t, "scheduler.0", o.Current["QUEUE"]["Ethernet0|3"]["scheduler"], "what is not ours stays")
	require.Equal(t, "AZURE", o.Current["PORT_QOS_MAP"]["Ethernet0"]["dscp_to_tc_map"])
	require.Equal(t, "5m", o.Current["CABLE_LENGTH"]["AZURE"]["Ethernet12"], "another port stays")
	require.Equal(t, shipped()["BUFFER_PROFILE"]["ingress_lossy_profile"],
		o.Current["BUFFER_PROFILE"]["ingress_lossy_profile"], "the ports' own use it")
}

// What the updater takes, by chip, release, table and field. The switch has the plan but for one value.
func TestSONiCUpdater(t *testing.T) {
	const rdma = "pg_lossless_100000_40m_profile"
	for _, c := range []struct {
		asic, release, table, key, field string
		now                              bool
		why                              string
	}{
		{"th", "202511", "BUFFER_PROFILE", rdma, "dynamic_th", true, ""},
		{"th", "20240510", "BUFFER_PROFILE", rdma, "xoff", true, ""},
		{"td2", "202511", "BUFFER_PROFILE", rdma, "dynamic_th", true, ""},
		{"td2", "202511", "BUFFER_PROFILE", rdma, "xoff", false, "never accepts xoff on td2"},
		{"marvell-teralynx", "master", "BUFFER_PROFILE", rdma, "xoff", false, "never accepts xoff on marvell-teralynx"},
		{"marvell-teralynx", "202511", "BUFFER_PROFILE", rdma, "dynamic_th", true, ""},
		{"jr2", "master", "BUFFER_PROFILE", rdma, "dynamic_th", false, "never accepts dynamic_th on jr2"},
		{"th6", "202511", "BUFFER_PROFILE", rdma, "xoff", false, "from 202605 on, and the release is 202511"},
		{"spc6", "SONiC.master.912-1a2b3c4d", "BUFFER_PROFILE", rdma, "xoff", true, ""},
		{"spc6", "202605", "BUFFER_PROFILE", rdma, "xoff", false, "from master on"},
		{"th", "202311", "BUFFER_PROFILE", rdma, "dynamic_th", true, ""},
		{"th", "202211", "BUFFER_PROFILE", rdma, "dynamic_th", false, "from 202305 on"},
		{"th", "master", "BUFFER_PROFILE", rdma, "xon_offset", false,
			"no change of field xon_offset of a profile on any chip"},
		{"th", "master", "BUFFER_PROFILE", rdma, "size", false, "no change of field size"},
		{"", "master", "BUFFER_PROFILE", rdma, "xoff", false, "--sonic-asic"},
		{"th", "", "BUFFER_PROFILE", rdma, "xoff", false, "--sonic-release"},
		{"th", "202511", "BUFFER_POOL", "ingress_lossless_pool", "xoff", false, "accepts no change of a pool"},
		{"th", "", "BUFFER_POOL", "ingress_lossless_pool", "size", false, "--sonic-release"},
		{"th", "202505", "BUFFER_POOL", "ingress_lossless_pool", "size", true, ""},
		{"td2", "202505", "BUFFER_POOL", "ingress_lossless_pool", "xoff", false, "never"},
		{"th5", "202311", "BUFFER_POOL", "ingress_lossless_pool", "xoff", false, "from 202405 on"},
		{"th", "202511", "WRED_PROFILE", "CW_ECN_102400_409600_5", "green_min_threshold", true, ""},
		{"th", "202505", "WRED_PROFILE", "CW_ECN_102400_409600_5", "green_min_threshold", false,
			"does not accept whole profiles"},
		{"", "", "CABLE_LENGTH", "AZURE", "Ethernet0", true, ""},
		{"", "", "PORT_QOS_MAP", "Ethernet0", "pfc_enable", true, ""},
		{"", "", "BUFFER_PG", "Ethernet0|3-4", "profile", true, ""},
		{"", "", "TC_TO_PRIORITY_GROUP_MAP", "CELLWARDEN", "3", true, ""},
	} {
		plan := planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8"))
		o := sonic.Options{ASIC: c.asic, Release: "master", Current: shipped(), Table: rowsOf(40, 301)}
		o.Current = reloaded(t, o.Current, o.Render(plan))
		require.Contains(t, o.Current[c.table], c.key)
		o.Current[c.table][c.key][c.field] = "2"
		o.Release = c.release
		r := o.Render(plan)
		now, waiting := paths(r)
		path := c.table + "/" + c.key + "/" + c.field
		require.Equal(t, c.now, slices.Contains(now, path), "%+v: now %v", c, now)
		require.Equal(t, !c.now, slices.Contains(waiting, path), "%+v: waiting %v", c, waiting)
		if !c.now {
			require.Contains(t, r.Waiting[0].Why, c.why, "%+v", c)
		}
	}
}

// Whole profiles wait on a switch of an earlier release, and with them what
// points at them, the port's PFC and its cable.
func TestSONiCWaitsTogether(t *testing.T) {
	plan := planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8"))
	o := sonic.Options{ASIC: "th", Release: "202405", Current: shipped()}
	now, waiting := paths(o.Render(plan))
	require.Contains(t, waiting, "BUFFER_PROFILE/pg_lossless_100000_40m_profile")
	require.Contains(t, waiting, "BUFFER_PG/Ethernet0|3-4")
	require.Contains(t, waiting, "CABLE_LENGTH/AZURE/Ethernet0")
	require.Contains(t, waiting, "QUEUE/Ethernet0|3/wred_profile")
	require.Contains(t, waiting, "PORT_QOS_MAP/Ethernet0/tc_to_pg_map")
	require.Contains(t, now, "BUFFER_POOL/ingress_lossless_pool/size", "the updater of that release takes it")
	for _, path := range now {
		require.NotContains(t, path, "Ethernet0")
	}

	o.Release = "202511"
	delete(o.Current["BUFFER_POOL"], "ingress_lossless_pool")
	_, waiting = paths(o.Render(plan))
	require.Contains(t, waiting, "BUFFER_PROFILE/pg_lossless_100000_40m_profile", "there is no pool to be of")

	o.Current = shipped()
	delete(o.Current, "BUFFER_PROFILE")
	r := o.Render(plan)
	_, waiting = paths(r)
	require.Contains(t, waiting, "BUFFER_PROFILE/pg_lossless_100000_40m_profile", "a table of profiles cannot be made")
	require.Contains(t, r.Waiting[2].Why, "first profile to an empty table")
}

// A profile that waits for one field waits as a whole, and one that other ports use is not changed under them.
func TestSONiCProfileInPlace(t *testing.T) {
	plan := planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8"))
	o := sonic.Options{ASIC: "th", Release: "202511", Current: shipped()}
	o.Current = reloaded(t, o.Current, o.Render(plan))
	p := o.Current["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
	p["xoff"], p["size"] = "1000", "2000"
	o.Current["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = "3"
	r := o.Render(plan)
	now, waiting := paths(r)
	require.Empty(t, now, "no half a profile, and no PFC before it")
	require.Equal(t, []string{"BUFFER_PROFILE/pg_lossless_100000_40m_profile/size",
		"BUFFER_PROFILE/pg_lossless_100000_40m_profile/xoff", "PORT_QOS_MAP/Ethernet0/pfc_enable"}, waiting)

	p["size"] = "1270"
	now, _ = paths(o.Render(plan))
	require.Equal(t, []string{"BUFFER_PROFILE/pg_lossless_100000_40m_profile/xoff", "PORT_QOS_MAP/Ethernet0/pfc_enable"},
		now)
	o.Current["BUFFER_PG"]["Ethernet12|3-4"] = sonic.Entry{"profile": "pg_lossless_100000_40m_profile"}
	r = o.Render(plan)
	require.Contains(t, r.Waiting[0].Why, "ports that are not in the plan also use it: Ethernet12")
	p["static_th"] = "5"
	require.Contains(t, o.Render(plan).Notes,
		"remove these entries by hand before the reload: /BUFFER_PROFILE/pg_lossless_100000_40m_profile/static_th")
	require.Contains(t, o.Render(plan).Waiting[0].Why+o.Render(plan).Waiting[1].Why, "does not add or remove fields")
}

// Whatever a switch has, what is sent is sent once, and what is not the plan's is not touched.
func TestSONiCConverges(t *testing.T) {
	effort.SkipShort(t, "it renders many plans")
	plans := []nos.Plan{planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8")),
		planned(t, scheduled("Ethernet0", "Ethernet4", "Ethernet8"))}
	random := rand.New(rand.NewPCG(1, 2))
	values := []string{"", "1", "2-3", "3", "AZURE", "pg_lossless_100000_40m_profile", "CW_LOSSY_254_alpha0",
		"CW_ECN_102400_409600_5", "CELLWARDEN", "CW_SCHED_DWRR_60", "CW_DSCP_0", "[BUFFER_PROFILE|x]"}
	for range 300 {
		o := sonic.Options{ASIC: []string{"", "th", "td2", "spc1"}[random.IntN(4)], Release: []string{"", "202405", "202505",
			"202511"}[random.IntN(4)], Current: shipped(), Table: []*table.Table{nil, rowsOf(40)}[random.IntN(2)],
			Model: []sonic.Model{sonic.Unknown, sonic.Traditional, sonic.Dynamic}[random.IntN(3)]}
		if random.IntN(2) == 0 {
			o.Current = reloaded(t, o.Current, o.Render(plans[random.IntN(2)]))
		}
		plan := plans[random.IntN(2)]
		for range random.IntN(6) {
			name := sonic.Tables()[random.IntN(11)]
			keys := slices.Sorted(maps.Keys(o.Current[name]))
			switch random.IntN(3) {
			case 0:
				delete(o.Current, name)
			case 1:
				if len(keys) > 0 {
					delete(o.Current[name], keys[random.IntN(len(keys))])
				}
			default:
				if len(keys) > 0 {
					e := o.Current[name][keys[random.IntN(len(keys))]]
					if fields := slices.Sorted(maps.Keys(e)); len(fields) > 0 {
						e[fields[random.IntN(len(fields))]] = values[random.IntN(len(values))]
					}
				}
			}
		}
		r := o.Render(plan)
		before := o.Current
		o.Current = made(t, before, r.Updates)
		again := o.Render(plan)
		require.Empty(t, again.Updates, "%+v", o)
		require.Equal(t, before["PORT"], o.Current["PORT"])
		for key, e := range before["BUFFER_PG"] {
			if strings.HasPrefix(key, "Ethernet12|") {
				require.Equal(t, e, o.Current["BUFFER_PG"][key])
			}
		}
		require.Equal(t, before["PORT_QOS_MAP"]["Ethernet12"], o.Current["PORT_QOS_MAP"]["Ethernet12"])
	}
}
