package nos_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// Minima of queues take the switch's own profiles as their model.
func TestSONiCQueues(t *testing.T) {
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Classes[0].QueueReserved = 508
	in.Classes[1].QueueReserved = 254
	plan := planned(t, in)
	o := sonic.Options{ASIC: "th", Release: "202511", Current: shipped()}
	r := o.Render(plan)
	golden(t, "sonic-queues-now.json", r.Files[1].Content)
	for _, o := range r.Omitted {
		require.NotContains(t, o.Why, "BUFFER_QUEUE")
	}
	db := made(t, o.Current, r.Updates)
	require.Equal(t, sonic.Entry{"profile": "CW_QUEUE_LOSSLESS_508_static15982720"}, db["BUFFER_QUEUE"]["Ethernet0|3-4"],
		"in the switch's own entry")
	require.Equal(t, sonic.Entry{"pool": "egress_lossless_pool", "size": "508", "static_th": "15982720"},
		db["BUFFER_PROFILE"]["CW_QUEUE_LOSSLESS_508_static15982720"])
	require.Equal(t, sonic.Entry{"profile": "CW_QUEUE_LOSSY_254_alpha3"}, db["BUFFER_QUEUE"]["Ethernet0|0-2"])
	require.NoError(t, conforms(schemas["sonic"], document(t, nos.JSON(ownTables(db))), ""),
		"of the schema with these tables, too")
	require.Contains(t, r.Waiting[len(r.Waiting)-1].Why,
		"the switch has it in BUFFER_QUEUE Ethernet8|5-6; divide this entry by hand")
	require.Equal(t, "egress_lossy_profile", db["BUFFER_QUEUE"]["Ethernet0|5-6"]["profile"], "queue 5 alone has a minimum")

	// Without minima the queues go back to the switch's own profiles, and ours go.
	o.Current = db
	in.Classes[0].QueueReserved, in.Classes[1].QueueReserved = 0, 0
	r = o.Render(planned(t, in))
	db = made(t, db, r.Updates)
	require.Equal(t, "egress_lossless_profile", db["BUFFER_QUEUE"]["Ethernet0|3-4"]["profile"])
	require.Equal(t, "egress_lossy_profile", db["BUFFER_QUEUE"]["Ethernet0|0-2"]["profile"])
	require.NotContains(t, db["BUFFER_PROFILE"], "CW_QUEUE_LOSSLESS_508_static15982720")

	// What the operator has chosen stays, but a lossy profile of a lossless queue
	// does not; the keys of a chassis are not known.
	o.Current = copied(db)
	o.Current["BUFFER_PROFILE"]["mine"] = sonic.Entry{"pool": "egress_lossless_pool", "size": "0", "static_th": "5"}
	o.Current["BUFFER_QUEUE"]["Ethernet0|3-4"] = sonic.Entry{"profile": "mine"}
	o.Current["BUFFER_QUEUE"]["Ethernet4|3-4"] = sonic.Entry{"profile": "egress_lossy_profile"}
	now, _ := paths(o.Render(planned(t, in)))
	require.Equal(t, []string{"BUFFER_QUEUE/Ethernet4|3-4/profile"}, now)
	o.Current["DEVICE_METADATA"]["localhost"]["switch_type"] = "voq"
	now, _ = paths(o.Render(planned(t, in)))
	require.Empty(t, now)

	// A switch without such profiles, or of which nothing is known, gets none.
	in.Classes[0].QueueReserved = 508
	for _, o := range []sonic.Options{{}, {Current: sonic.Database{}}} {
		r = o.Render(planned(t, in))
		require.True(t, slices.ContainsFunc(r.Omitted, func(o nos.Omission) bool {
			return strings.Contains(o.Why, "a plan does not have")
		}))
	}
}

// ownTables are the entries of a switch that a plan makes.
func ownTables(db sonic.Database) sonic.Database {
	out := copied(db)
	for name, table := range out {
		if slices.Contains([]string{"PORT", "DEVICE_METADATA"}, name) || strings.HasSuffix(name, "_LIST") {
			delete(out, name)
		}
		for key, e := range table {
			delete(e, "dscp_to_tc_map")
			if delete(e, "scheduler"); name == "QUEUE" && len(e) == 0 || strings.HasPrefix(key, "egress_lossy") ||
				e["pool"] == "egress_lossy_pool" {
				delete(table, key)
			}
		}
	}
	return out
}

// What the switch has under other keys makes room; what is ours and used by nothing goes in a phase of its own; what
// says the same under another name is used.
func TestSONiCLeftovers(t *testing.T) {
	plan := planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8"))
	o := sonic.Options{ASIC: "th", Release: "202511", Current: shipped()}
	o.Current = reloaded(t, o.Current, o.Render(plan))
	db := o.Current
	db["BUFFER_PG"]["Ethernet0|2-3"] = sonic.Entry{"profile": "pg_lossless_100000_5m_profile"} // overlaps 3-4
	// lossless, and not of the plan
	db["BUFFER_PG"]["Ethernet0|7"] = sonic.Entry{"profile": "pg_lossless_100000_5m_profile"}
	db["BUFFER_PG"]["Ethernet4|7"] = sonic.Entry{"profile": "ingress_lossy_profile"} // not of the plan
	db["BUFFER_PG"]["Ethernet12|3-4"] = sonic.Entry{"profile": "pg_lossless_100000_5m_profile"}
	db["BUFFER_PROFILE"]["CW_LOSSY_1_alpha0"] = sonic.Entry{"pool": "ingress_lossless_pool", "size": "1",
		"dynamic_th": "0"}
	db["WRED_PROFILE"]["CW_ECN_1_2_3"] = sonic.Entry{"ecn": "ecn_all"}
	db["QUEUE"]["Ethernet4|0"]["wred_profile"] = "CW_ECN_1_2_3"
	db["QUEUE"]["Ethernet12|0"]["wred_profile"] = "CW_ECN_102400_409600_5"
	r := o.Render(plan)
	now, waiting := paths(r)
	require.Empty(t, waiting)
	require.Equal(t, []string{"-BUFFER_PG/Ethernet0|2-3", "-BUFFER_PG/Ethernet0|7", "-QUEUE/Ethernet4|0/wred_profile",
		"-BUFFER_PROFILE/CW_LOSSY_1_alpha0", "-WRED_PROFILE/CW_ECN_1_2_3"}, now)
	require.Equal(t, []int{1, 1, 1, 2, 2}, []int{r.Updates[0].Phase, r.Updates[1].Phase, r.Updates[2].Phase,
		r.Updates[3].Phase, r.Updates[4].Phase})
	o.Current = made(t, db, r.Updates)
	require.Empty(t, o.Render(plan).Updates)

	o.Current["TC_TO_PRIORITY_GROUP_MAP"]["OTHER"] = o.Current["TC_TO_PRIORITY_GROUP_MAP"]["CELLWARDEN"]
	now, _ = paths(o.Render(plan))
	require.Equal(t, []string{"PORT_QOS_MAP/Ethernet0/tc_to_pg_map", "PORT_QOS_MAP/Ethernet4/tc_to_pg_map",
		"PORT_QOS_MAP/Ethernet8/tc_to_pg_map", "-TC_TO_PRIORITY_GROUP_MAP/CELLWARDEN"}, now)

	// Without marking the last of our profiles takes its table along.
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Classes[0].ECN.KMin, in.Classes[0].ECN.KMax, in.Classes[0].ECN.PMax = 0, 0, 0
	delete(o.Current["QUEUE"]["Ethernet12|0"], "wred_profile")
	now, _ = paths(o.Render(planned(t, in)))
	require.Contains(t, now, "-WRED_PROFILE")
}

// Schedulers and maps of ours take the place of the switch's; DSCPs that the plan does not name stay, but for those of
// a priority that it does. Without weights and DSCPs what is ours goes again.
func TestSONiCWeightsAndCodePoints(t *testing.T) {
	o := sonic.Options{ASIC: "th", Release: "202511", Current: shipped()}
	o.Current["DSCP_TO_TC_MAP"] = sonic.Table{"AZURE": {"3": "3", "4": "4", "8": "1", "26": "1", "46": "5"}}
	o.Current["SCHEDULER"] = sonic.Table{"scheduler.0": {"type": "DWRR", "weight": "14"}, "scheduler.1": {"type": "DWRR",
		"weight": "40"}}
	plain := planned(t, intent("Ethernet0", "Ethernet4", "Ethernet8"))
	o.Current = reloaded(t, o.Current, o.Render(plain))
	have := copied(o.Current)

	plan := planned(t, scheduled("Ethernet0", "Ethernet4", "Ethernet8"))
	r := o.Render(plan)
	require.Empty(t, r.Waiting)
	o.Current = made(t, o.Current, r.Updates)
	require.Empty(t, o.Render(plan).Updates, "the second time nothing is sent")
	port := o.Current["PORT_QOS_MAP"]["Ethernet0"]["dscp_to_tc_map"]
	require.Equal(t, sonic.Entry{"24": "3", "26": "3", "48": "6", "4": "4", "8": "1", "46": "5"},
		o.Current["DSCP_TO_TC_MAP"][port])
	require.Equal(t, have["DSCP_TO_TC_MAP"]["AZURE"], o.Current["DSCP_TO_TC_MAP"]["AZURE"], "other ports use it")
	require.Equal(t, "AZURE", o.Current["PORT_QOS_MAP"]["Ethernet12"]["dscp_to_tc_map"])
	queue := func(n string) sonic.Entry {
		return o.Current["SCHEDULER"][o.Current["QUEUE"]["Ethernet0|"+n]["scheduler"]]
	}
	require.Equal(t, sonic.Entry{"type": "DWRR", "weight": "60"}, queue("3"))
	require.Equal(t, sonic.Entry{"type": "STRICT"}, queue("6"))
	require.Equal(t, "scheduler.1", o.Current["QUEUE"]["Ethernet0|0"]["scheduler"], "it says the same already")

	o.Current = made(t, o.Current, o.Render(plain).Updates)
	require.Empty(t, o.Render(plain).Updates)
	require.Equal(t, have["SCHEDULER"], o.Current["SCHEDULER"])
	require.Equal(t, have["DSCP_TO_TC_MAP"], o.Current["DSCP_TO_TC_MAP"])
	require.NotContains(t, o.Current["PORT_QOS_MAP"]["Ethernet0"], "dscp_to_tc_map",
		"what it had before is not known any more")
	require.Contains(t, o.Current["QUEUE"]["Ethernet0|3"], "wred_profile")
}
