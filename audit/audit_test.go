package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

func Example() {
	data := []byte(`{
  "DEVICE_METADATA": {"localhost": {"hwsku": "Juniper-QFX5200-32C-S", "platform": "x86_64-juniper_qfx5200-r0"}},
  "BUFFER_POOL": {
    "ingress_lossless_pool": {"size": "33329088", "xoff": "7827456", "type": "ingress", "mode": "dynamic"}
  }
}`)
	report := func() error {
		db, err := sonic.System.Read("config_db.json", data, audit.Chip{})
		if err != nil {
			return err
		}
		result := audit.Run(audit.Source{File: "config_db.json", Reading: db})
		for _, f := range result.Findings[:1] {
			fmt.Printf("%s:%d: %s %s: %s\n", f.File, f.Line, f.Severity, f.Code, f.Message)
		}
		return nil
	}
	if err := report(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// config_db.json:4: error pool-over-chip: size 33329088 is larger than the memory of tomahawk 16777280 by 16551808 bytes
}

// mistake is one mistake in the base configuration.
type mistake struct {
	code     finding.Code
	severity finding.Severity
	certain  bool
	edits    []string
	lookup   string // "": that of the base; "none": the switch has none
	object   string
	message  string // a part of it
}

// trimsAll makes the queues of base that may drop trim.
const trimsAll = "BUFFER_PROFILE|egress_lossy_profile|packet_discard_action=trim"

// spectrum3 edits base into a switch of NVIDIA's, whose pools have a sum.
var spectrum3 = []string{"DEVICE_METADATA|localhost|platform=x86_64-mlnx_msn4600c-r0",
	"DEVICE_METADATA|localhost|hwsku=Mine", "BUFFER_POOL|egress_lossless_pool|size=60817392"}

// mistakes has at least one mistake for each code.
var mistakes = []mistake{
	{"number-format", finding.Error, true, []string{"BUFFER_POOL|ingress_lossless_pool|xoff="}, "",
		"BUFFER_POOL|ingress_lossless_pool", `xoff is ""`},
	{"number-format", finding.Note, false, []string{"BUFFER_POOL|egress_lossy_pool|size=9243728 "}, "",
		"BUFFER_POOL|egress_lossy_pool", "blanks around it"},
	{"number-format", finding.Error, true, []string{"BUFFER_PROFILE|egress_lossy_profile|size=-5"}, "",
		"BUFFER_PROFILE|egress_lossy_profile", "size is -5"},
	{"number-format", finding.Error, true, []string{"CABLE_LENGTH|AZURE|Ethernet0=300"}, "", "CABLE_LENGTH|AZURE",
		`Ethernet0 is "300"`},
	{"number-format", finding.Error, true, []string{"PORT_QOS_MAP|Ethernet0|pfc_enable=3,9"}, "",
		"PORT_QOS_MAP|Ethernet0",
		"want priorities from 0 to 7"},
	{"value-refused", finding.Error, true, []string{"BUFFER_PROFILE|egress_lossy_profile|dynamic_th=8"}, "",
		"BUFFER_PROFILE|egress_lossy_profile", "dynamic_th is 8: want -8 to 7"},
	{"value-refused", finding.Error, true, []string{"SCHEDULER|strict|type=strict"}, "", "SCHEDULER|strict",
		`type is "strict": want DWRR, WRR, STRICT`},
	{"value-refused", finding.Error, true, []string{"WRED_PROFILE|AZURE_LOSSLESS|ecn=all",
		"WRED_PROFILE|AZURE_LOSSLESS|red_max_threshold=5"}, "", "WRED_PROFILE|AZURE_LOSSLESS",
		"there is red_max_threshold without red_min_threshold"},
	{"value-refused", finding.Error, true, []string{"TC_TO_QUEUE_MAP|AZURE|3=10"}, "", "TC_TO_QUEUE_MAP|AZURE",
		"3 to 10: want 0 to 15 on the left, and 0 to 9 on the right"},
	{"value-refused", finding.Error, true, []string{"PFC_WD|Ethernet0|POLL_INTERVAL=200"}, "", "PFC_WD|Ethernet0",
		"POLL_INTERVAL: want it in GLOBAL"},
	{"field-missing", finding.Error, true, []string{"BUFFER_POOL|egress_lossy_pool|mode"}, "",
		"BUFFER_POOL|egress_lossy_pool", "there is no mode"},
	{"port-missing", finding.Error, true, []string{"BUFFER_PG|Ethernet99|0|profile=ingress_lossy_profile"}, "",
		"BUFFER_PG", "it names ports that PORT does not have: Ethernet99"},
	{"number-format", finding.Error, true, []string{"BUFFER_PG|Ethernet0|9|profile=ingress_lossy_profile"}, "",
		"BUFFER_PG|Ethernet0|9", "0 to 7"},
	{"profile-missing", finding.Error, true, []string{"BUFFER_QUEUE|Ethernet0|7|profile=NULL"}, "", "BUFFER_QUEUE|*|7",
		`it names "NULL"`},
	{"chip-unknown", finding.Note, true,
		[]string{"DEVICE_METADATA|localhost|platform=x86_64-acme_1", "DEVICE_METADATA|localhost|hwsku=Acme-1"}, "", "chip",
		"platform x86_64-acme_1 is not in the tables"},
	{"pool-over-chip", finding.Error, true, []string{"BUFFER_POOL|ingress_lossless_pool|size=33329088"}, "",
		"BUFFER_POOL|ingress_lossless_pool", "larger than the memory of tomahawk 16777280 by 16551808 bytes"},
	{"ingress-sum-over-chip", finding.Error, false,
		[]string{"BUFFER_POOL|ingress_lossy_pool|size=10875072", "BUFFER_POOL|ingress_lossy_pool|type=ingress"}, "",
		"BUFFER_POOL", "the 2 ingress pools together have 21750144"},
	{"pool-plus-xoff-over-chip", finding.Error, true, []string{"BUFFER_POOL|ingress_lossless_pool|size=11213696",
		"BUFFER_POOL|ingress_lossless_pool|xoff=8356608"}, "", "BUFFER_POOL|ingress_lossless_pool",
		"size 11213696 and xoff 8356608 together are larger than the memory of tomahawk 16777280 by 2793024 bytes"},
	{"pool-plus-xoff-over-chip", finding.Note, false, []string{"BUFFER_POOL|ingress_lossless_pool|size=164302948",
		"BUFFER_POOL|ingress_lossless_pool|xoff=17962880", "BUFFER_POOL|egress_lossless_pool|size=165364160",
		"DEVICE_METADATA|localhost|platform=x86_64-arista_7060x6_64pe_b"}, "",
		"BUFFER_POOL|ingress_lossless_pool", "ambiguous: on tomahawk5 size may include xoff"},
	{"pool-xoff-not-below-size", finding.Error, false, []string{"BUFFER_POOL|ingress_lossless_pool|xoff=10875072",
		"DEVICE_METADATA|localhost|platform=x86_64-arista_7060x6_64pe_b"}, "",
		"BUFFER_POOL|ingress_lossless_pool", "xoff 10875072 is not below size 10875072"},
	{"egress-lossless-below-ingress", finding.Warning, false, []string{"BUFFER_POOL|egress_lossless_pool|size=10874864"},
		"", "BUFFER_POOL|egress_lossless_pool", "smaller than the 10875072 of ingress_lossless_pool by 208 bytes"},
	{"reserved-over-pool", finding.Warning, true, []string{"BUFFER_PROFILE|egress_lossy_profile|size=1000000"}, "",
		"BUFFER_POOL|egress_lossy_pool", "12 groups or queues reserve 12000000 bytes together, more than size 9243728"},
	{"pool-over-limit", finding.Error, true, []string{"BUFFER_POOL|ingress_lossless_pool|size=16613584",
		"BUFFER_POOL|ingress_lossless_pool|xoff", "BUFFER_POOL|egress_lossless_pool|size=16613584"},
		"100000 300m 270000 2288 268736 0 2288\n", "BUFFER_POOL|ingress_lossless_pool",
		"more than 16613376, the largest pool"},
	{"pool-size-other-chip", finding.Warning, false, []string{"BUFFER_POOL|ingress_lossless_pool|size=33329088",
		"BUFFER_POOL|ingress_lossless_pool|xoff=7827456"}, "", "BUFFER_POOL|ingress_lossless_pool",
		"size 33329088 is the pool of tomahawk2"},
	{"pool-size-other-ports", finding.Warning, false, slices.Concat(spectrum3, []string{
		"BUFFER_POOL|ingress_lossless_pool|size=59289600", "BUFFER_POOL|ingress_lossless_pool|xoff=1048576"}), "",
		"BUFFER_POOL|ingress_lossless_pool", "sized for 2 of 4 ports: 60817392B of memory less size 59289600 and xoff " +
			"1048576 leave 468 KiB, which is the sum of 2 ports (shared headroom); all 4 take 680 KiB"},
	{"pool-size-other-ports", finding.Note, false, slices.Concat(spectrum3, []string{
		"BUFFER_POOL|ingress_lossless_pool|size=55902208", "BUFFER_POOL|ingress_lossless_pool|xoff=1179648"}), "",
		"BUFFER_POOL|ingress_lossless_pool", "sized for 32 ports, and there are 4"},
	{"pool-size-other-ports", finding.Note, false, slices.Concat(spectrum3, []string{
		"BUFFER_POOL|ingress_lossless_pool|size=55000000", "BUFFER_POOL|ingress_lossless_pool|xoff=1179648"}), "",
		"BUFFER_POOL|ingress_lossless_pool", "which is the sum of no number of ports"},
	{"pool-size-other-ports", finding.Note, false, []string{"BUFFER_POOL|ingress_lossless_pool|size=164516308",
		"BUFFER_POOL|ingress_lossless_pool|xoff=49418240",
		"DEVICE_METADATA|localhost|platform=x86_64-arista_7060x6_64pe_b", "DEVICE_METADATA|localhost|hwsku=Mine"}, "",
		"BUFFER_POOL|ingress_lossless_pool", "less 14 cells for each of 4 ports leave 34402"},
	{"cell-misaligned", finding.Note, true, []string{"BUFFER_POOL|egress_lossy_pool|size=9243812"}, "",
		"BUFFER_POOL|egress_lossy_pool", "size 9243812 is not a multiple of the 208-byte cell of tomahawk"},
	{"over-commitment", finding.Error, false, []string{"BUFFER_POOL|ingress_lossless_pool|xoff"},
		"100000 300m 2201248 2288 2200000 0 2288\n",
		"BUFFER_POOL|ingress_lossless_pool", "is not admitted, and 4 of 4 ports in all"},

	{"profile-missing", finding.Error, true, []string{"BUFFER_PROFILE|egress_lossless_profile"}, "",
		"BUFFER_QUEUE|*|3-4", `it names "egress_lossless_profile", and BUFFER_PROFILE has no such entry`},
	{"pool-missing", finding.Error, true, []string{"BUFFER_PROFILE|egress_lossy_profile|pool=egress_pool"}, "",
		"BUFFER_PROFILE|egress_lossy_profile", `it names "egress_pool", and BUFFER_POOL has no such entry`},
	{"profile-direction", finding.Error, true, []string{"BUFFER_PG|Ethernet0|0|profile=egress_lossy_profile"}, "",
		"BUFFER_PG|Ethernet0|0", "want a profile of an ingress pool"},
	{"profile-direction", finding.Error, true, []string{"BUFFER_QUEUE|Ethernet8|0-2|profile=ingress_lossy_profile"}, "",
		"BUFFER_QUEUE|Ethernet8|0-2", "want a profile of an egress pool"},
	{"profile-xoff-over-pool-xoff", finding.Error, true, []string{"BUFFER_POOL|ingress_lossless_pool|xoff=208000"}, "",
		"100G over 300m", "100G over 300m: xoff 268736 is larger than the pool of all groups, xoff 208000"},
	{"profile-xoff-over-pool-xoff", finding.Error, true, []string{"BUFFER_PROFILE|mine|pool=ingress_lossless_pool",
		"BUFFER_PROFILE|mine|xoff=5000000", "BUFFER_PROFILE|mine|size=1248", "BUFFER_PROFILE|mine|dynamic_th=0"}, "",
		"BUFFER_PROFILE|mine", "xoff 5000000 is larger than the pool of all groups, xoff 4194112"},
	{"size-below-xoff", finding.Error, true, []string{"BUFFER_POOL|ingress_lossless_pool|xoff"}, "", "40G over 5m",
		"4 rows in all (40G over 300m: size 1248, xoff 108160; 100G over 5m: size 1248, xoff 165568; "},
	{"xon-xoff-over-size", finding.Warning, false, []string{"BUFFER_POOL|ingress_lossless_pool|xoff",
		"DEVICE_METADATA|localhost|platform=x86_64-mlnx_msn2700-r0"}, "100000 300m 268800 2288 268736 0\n", "100G over 300m",
		"xon 2288 and xoff 268736 together are larger than size 268800"},
	{"static-th-over-pool", finding.Warning, false, []string{"BUFFER_PROFILE|egress_lossless_profile|static_th=15982928"},
		"",
		"BUFFER_PROFILE|egress_lossless_profile", "static_th 15982928 is larger than egress_lossless_pool, size 15982720"},
	{"alpha-outside-chip", finding.Warning, false, []string{"BUFFER_PROFILE|egress_lossy_profile|dynamic_th=7"}, "",
		"BUFFER_PROFILE|egress_lossy_profile", "dynamic_th 7 is outside -7 to 3, the alphas of tomahawk"},

	{"headroom-below-flight", finding.Error, true, nil, "100000 300m 1248 2288 36749 0 2288\n", "100G over 300m",
		"xoff 36749 is less than the 36750 bytes in flight"},
	{"headroom-below-frame", finding.Warning, false, nil, "100000 300m 1248 2288 36750 0 2288\n", "100G over 300m",
		"xoff 36750 is less than the 39000 bytes in flight at 5 ns/m with a frame of 1500 bytes"},
	{"lossless-no-row", finding.Error, true, []string{"CABLE_LENGTH|AZURE|Ethernet4=40m"}, "", "ports Ethernet4",
		"100G over 40m has no row: 100G has [5m 300m]"},
	{"lossless-no-row", finding.Error, true, nil, "none", "ports Ethernet0-12/4 (4 ports)",
		"the switch has no headroom table: no row for 100G over 300m"},
	{"xoff-shrinks-with-length", finding.Error, false, nil,
		"100000 5m 1248 2288 300000 0 2288\n100000 300m 1248 2288 268736 0 2288\n", "100G over 300m",
		"100G has xoff 268736B over 300m but 300000B over 5m"},
	{"xoff-shrinks-with-speed", finding.Error, false, nil,
		"40000 300m 1248 2288 300000 0 2288\n100000 300m 1248 2288 268736 0 2288\n", "100G over 300m",
		"100G has xoff 268736B but 40G has 300000B"},
	{"xoff-same-for-lengths", finding.Note, false, nil,
		"100000 5m 1248 2288 268736 0 2288\n100000 300m 1248 2288 268736 0 2288\n", "100G over 5m", "all 2 lengths of 100G"},
	{"xoff-same-as-shorter", finding.Warning, false, nil,
		"100000 5m 1248 2288 165568 0 2288\n100000 40m 1248 2288 165568 0 2288\n100000 300m 1248 2288 268736 0 2288\n",
		"100G over 40m", "100G has xoff 165568B over 40m as over 5m, and 4288 bytes more are in flight"},
	{"xoff-same-for-speeds", finding.Note, false, nil,
		"40000 300m 1248 2288 268736 0 2288\n100000 300m 1248 2288 268736 0 2288\n", "300m",
		"all 2 speeds have xoff 268736 over 300m"},
	{"xon-offset-odd", finding.Warning, false, nil,
		"40000 5m 1248 2288 66560 0 2496\n40000 300m 1248 2288 108160 0 2496\n" +
			"50000 5m 1248 2288 100000 0 2288\n50000 300m 1248 2288 120000 0 2288\n" +
			"100000 5m 1248 2288 165568 0 2288\n100000 300m 1248 2288 268736 0 2288\n", "40G",
		"all rows of 40G have xon_offset 2496, and 4 of the 6 rows of the table have 2288"},
	{"row-odd", finding.Warning, false, nil, strings.ReplaceAll(lookup, "165568  0  2288", "165568  0  2080"),
		"100G over 5m", "xon_offset is 2080 where the 3 rows beside it have 2288"},
	{"row-duplicate", finding.Error, true, nil, lookup + "100000 300m 1248 2288 268000 0 2288\n", "100G over 300m",
		"two rows with different values"},
	{"cable-missing", finding.Error, true, []string{"CABLE_LENGTH|AZURE|Ethernet12"}, "", "ports Ethernet12",
		"CABLE_LENGTH has no length"},

	{"pfc-queue-not-lossless", finding.Error, false, []string{"BUFFER_QUEUE|Ethernet0|3-4"}, "", "priority 3 queue 3",
		"the queue has no profile: Ethernet0"},
	{"pfc-queue-not-lossless", finding.Error, false, []string{"BUFFER_QUEUE|Ethernet0|3-4|profile=egress_lossy_profile"},
		"",
		"priority 4 queue 4", "the queue has egress_lossy_profile, a lossy profile of egress_lossy_pool: Ethernet0"},
	{"pg-overwritten", finding.Warning, true, []string{"BUFFER_PG|Ethernet4|3-4|profile=ingress_lossy_profile"}, "",
		"group 3-4", "BUFFER_PG names ingress_lossy_profile, and the buffer manager writes " +
			"pg_lossless_100000_300m_profile: Ethernet4"},
	{"alpha-outside-chip", finding.Warning, false, nil, "100000 300m 1248 2288 268736 82880 2288\n",
		"pg_lossless_100000_300m_profile", "dynamic_th 82880 is no exponent"},
	{"pfc-pg-lossy", finding.Error, true, []string{"BUFFER_PG|Ethernet4|0-7|profile=ingress_lossy_profile",
		"BUFFER_PG|Ethernet4|0", "CABLE_LENGTH|AZURE|Ethernet4=0m"}, "",
		"priority 3 group 3", "the group has ingress_lossy_profile, which has no xoff: Ethernet4"},
	{"pfc-pg-lossy", finding.Error, false, []string{"BUFFER_PG|Ethernet4|0-7|profile=ingress_lossy_profile",
		"BUFFER_PG|Ethernet4|0"}, "", "priority 3 group 3", "which has no xoff, and the buffer manager adds an entry that has: " +
		"Ethernet4; it is not known which of the two the switch takes"},
	{"pfc-pg-missing", finding.Error, false, []string{"CABLE_LENGTH|AZURE|Ethernet8=0m"}, "", "ports Ethernet8",
		"the cable is 0m: the buffer manager makes no lossless groups"},
	{"pfc-tc-other-pg", finding.Warning, false, []string{"TC_TO_PRIORITY_GROUP_MAP|AZURE|3=4"}, "",
		"TC_TO_PRIORITY_GROUP_MAP|AZURE", "traffic class 3, of priority 3 with PFC, has group 4 in place of 3"},
	{"lossless-pg-no-pfc", finding.Warning, false, []string{"BUFFER_PROFILE|mine|pool=ingress_lossless_pool",
		"BUFFER_PROFILE|mine|xoff=268736", "BUFFER_PROFILE|mine|size=1248", "BUFFER_PROFILE|mine|dynamic_th=0",
		"BUFFER_PG|Ethernet0|2|profile=mine"}, "", "group 2", "the group has mine with headroom, and priority 2 has no PFC"},
	{"queue-no-buffer", finding.Warning, true, []string{"QUEUE|Ethernet0|7|scheduler=strict"}, "", "queue 7",
		"BUFFER_QUEUE has no entry: Ethernet0"},

	{"map-missing", finding.Error, true, []string{"PORT_QOS_MAP|Ethernet0|tc_to_pg_map=NONE"}, "",
		"PORT_QOS_MAP|Ethernet0",
		`it names "NONE", and TC_TO_PRIORITY_GROUP_MAP has no such entry`},
	{"dscp-no-tc", finding.Warning, true, []string{"DSCP_TO_TC_MAP|AZURE|46"}, "", "DSCP_TO_TC_MAP|AZURE",
		"1 of 64 code points have no traffic class, the first is 46"},
	{"tc-no-pg", finding.Warning, true, []string{"TC_TO_PRIORITY_GROUP_MAP|AZURE|1"}, "",
		"TC_TO_PRIORITY_GROUP_MAP|AZURE",
		"traffic class 1 of DSCP_TO_TC_MAP|AZURE has no group"},
	{"tc-no-queue", finding.Warning, true, []string{"TC_TO_QUEUE_MAP|AZURE|0"}, "", "TC_TO_QUEUE_MAP|AZURE",
		"traffic class 0 of DSCP_TO_TC_MAP|AZURE has no queue"},
	{"tc-lossless-lossy", finding.Warning, false, []string{"TC_TO_PRIORITY_GROUP_MAP|AZURE|1=3"}, "", "traffic class 1",
		"group 3 has PFC, and queue 1 has not"},
	{"tc-lossless-lossy", finding.Warning, false, []string{"TC_TO_QUEUE_MAP|AZURE|1=4"}, "", "traffic class 1",
		"queue 4 has PFC, and group 0 has not"},
	{"wred-missing", finding.Error, true, []string{"QUEUE|Ethernet0|3|wred_profile=NONE"}, "", "QUEUE|*|3",
		`it names "NONE", and WRED_PROFILE has no such entry`},
	{"wred-min-over-max", finding.Error, true, []string{"WRED_PROFILE|AZURE_LOSSLESS|green_min_threshold=1048577"}, "",
		"WRED_PROFILE|AZURE_LOSSLESS", "green_min_threshold 1048577 is above green_max_threshold 1048576"},
	{"wred-max-over-pool", finding.Note, true, []string{"WRED_PROFILE|AZURE_LOSSLESS|green_max_threshold=15069185"}, "",
		"WRED_PROFILE|AZURE_LOSSLESS",
		"green_max_threshold 15069185 is larger than ingress_lossless_pool, size 10875072 and headroom 4194112"},
	{"ecn-after-pfc", finding.Note, false, []string{"WRED_PROFILE|AZURE_LOSSLESS|green_min_threshold=6000000",
		"WRED_PROFILE|AZURE_LOSSLESS|green_max_threshold=7000000"}, "", "WRED_PROFILE|AZURE_LOSSLESS",
		"green_min_threshold 6000000 is above 5438784, at which the largest lossless group pauses"},
	{"scheduler-missing", finding.Error, true, []string{"QUEUE|Ethernet0|0|scheduler=NONE"}, "", "QUEUE|*|0",
		`it names "NONE", and SCHEDULER has no such entry`},
	{"scheduler-weight", finding.Error, true, []string{"SCHEDULER|scheduler.0|weight=0"}, "", "SCHEDULER|scheduler.0",
		"weight is 0: want 1 to 100"},
	{"scheduler-weight", finding.Error, true, []string{"SCHEDULER|scheduler.0|weight"}, "", "SCHEDULER|scheduler.0",
		"type is DWRR, and there is no weight"},
	{"trim-no-settings", finding.Warning, true, []string{trimsAll}, "", "SWITCH_TRIMMING|GLOBAL",
		"queues trim, and there is no entry"},
	{"trim-incomplete", finding.Error, true, []string{"SWITCH_TRIMMING|GLOBAL|size=256",
		"SWITCH_TRIMMING|GLOBAL|dscp_value=from-tc"}, "", "SWITCH_TRIMMING|GLOBAL", "there is no queue_index, tc_value"},
	{"trim-refused", finding.Error, true, []string{"BUFFER_PROFILE|ingress_lossy_profile|packet_discard_action=trim"}, "",
		"group 0", "the group has ingress_lossy_profile, which trims"},
	{"trim-refused", finding.Error, true, []string{trimsAll,
		"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0|profile_list=egress_lossy_profile"}, "",
		"BUFFER_PROFILE|egress_lossy_profile", "it trims, and BUFFER_PORT_EGRESS_PROFILE_LIST"},
	{"trim-lossless", finding.Error, true,
		[]string{"BUFFER_PROFILE|egress_lossless_profile|packet_discard_action=trim"}, "", "queue 3",
		"the queue is lossless and has egress_lossless_profile, which trims"},
	{"trim-queue", finding.Error, true, []string{trimsAll, "SWITCH_TRIMMING|GLOBAL|queue_index=2"}, "",
		"SWITCH_TRIMMING|GLOBAL", "queue_index is 2, whose own profile egress_lossy_profile trims"},
	{"trim-queue", finding.Error, true, []string{trimsAll, "SWITCH_TRIMMING|GLOBAL|queue_index=3"}, "",
		"SWITCH_TRIMMING|GLOBAL", "queue_index is 3, a lossless queue"},
	{"trim-queue", finding.Error, true, []string{trimsAll, "SWITCH_TRIMMING|GLOBAL|queue_index=5"}, "",
		"SWITCH_TRIMMING|GLOBAL", "queue_index is 5, and the queue has no profile in BUFFER_QUEUE"},
	{"trim-size", finding.Warning, false, append([]string{"SWITCH_TRIMMING|GLOBAL|size=4085"}, spectrum3...), "none",
		"SWITCH_TRIMMING|GLOBAL", "size is 4085: the tests of SONiC have 256 to 4084 on spectrum-3"},
}

// TestNothingIsWrongWithTheBase is the other half of TestFindsEachMistake: without the mistake there is no finding.
func TestNothingIsWrongWithTheBase(t *testing.T) {
	r := audit.Run(base().source(t, lookup))
	require.Empty(t, r.Findings)
	require.Empty(t, r.Unknown)
	require.Equal(t, "platform x86_64-arista_7060_cx32s (name of its config.bcm file in sonic-buildimage 086b03bd)",
		r.Source.Chip.How)
	require.NotNil(t, r.Bill)
	require.True(t, r.Bill.Plan.Fits)
	require.Equal(t, 8, r.Bill.Plan.LosslessGroups)
}

// TestFindsEachMistake makes each mistake in the base: the finding has the code, the severity and the numbers.
func TestFindsEachMistake(t *testing.T) {
	for _, m := range mistakes {
		name := fmt.Sprint(m.code, m.edits)
		d := base()
		d.set(t, m.edits...)
		text := lookup
		if m.lookup != "" {
			text = strings.TrimPrefix(m.lookup, "none")
		}
		found := of(d.run(t, text), m.code)
		i := slices.IndexFunc(found, func(f finding.Finding) bool {
			return f.Object == m.object && strings.Contains(f.Message, m.message)
		})
		require.GreaterOrEqual(t, i, 0, "%s: %+v", name, found)
		f := found[i]
		require.Equal(t, m.severity, f.Severity, name)
		require.Equal(t, m.certain, f.Certain, name)
		require.NotEmpty(t, f.Repair, name)
		require.Contains(t, []string{"config_db.json", "pg_profile_lookup.ini"}, f.File, name)
	}
}

// TestTraps are configurations that look wrong and are not.
func TestTraps(t *testing.T) {
	for name, c := range map[string]struct {
		code  finding.Code
		edits []string
	}{
		"a static limit of the whole memory is no limit": {"static-th-over-pool",
			[]string{"BUFFER_PROFILE|egress_lossless_profile|static_th=16777280"}},
		"Trident 2 has 61,376 cells": {"pool-over-chip",
			[]string{"DEVICE_METADATA|localhost|platform=x86_64-dell_s6000_s1220-r0",
				"BUFFER_POOL|ingress_lossless_pool|size=12766208", "BUFFER_POOL|egress_lossless_pool|size=12766208"}},
		"sources differ about Tomahawk 6": {"pool-over-chip", []string{
			"DEVICE_METADATA|localhost|platform=x86_64-nokia_ixr7220_h6_128-r0",
			"BUFFER_POOL|ingress_lossless_pool|size=257154240"}},
		"a cable of 0m needs no row": {"lossless-no-row", []string{"CABLE_LENGTH|AZURE|Ethernet0=0m"}},
		"a profile that the manager computes": {"profile-missing", []string{"BUFFER_PG|Ethernet0|3-4|profile=NULL",
			"DEVICE_METADATA|localhost|buffer_model=dynamic"}},
		"the older form of a reference": {"profile-missing", []string{
			"BUFFER_PG|Ethernet0|0|profile=[BUFFER_PROFILE|ingress_lossy_profile]"}},
		"the queues of the CPU have other numbers": {"number-format", []string{"QUEUE|CPU|0-47|scheduler=strict"}},
		"a queue of another card": {"port-missing", []string{"QUEUE|lc2|asic0|Ethernet99|3|scheduler=strict",
			"DEVICE_METADATA|localhost|asic_name=asic0"}},
		"a port that PORT does not have": {"lossless-no-row", []string{"PORT_QOS_MAP|Ethernet99|pfc_enable=3,4"}},
		"one group above the pool of all is a finding of the profile": {"over-commitment",
			[]string{"BUFFER_POOL|ingress_lossless_pool|xoff=208"}},
		"a queue also holds headroom beside the pool": {"wred-max-over-pool",
			[]string{"WRED_PROFILE|AZURE_LOSSLESS|green_max_threshold=10875073"}},
		"an explicit zero is zero": {"pool-plus-xoff-over-chip", []string{"BUFFER_POOL|ingress_lossless_pool|xoff=0",
			"BUFFER_POOL|ingress_lossless_pool|size=16777280"}},
		"pfc_to_pg_map says the group": {"pfc-tc-other-pg", []string{"TC_TO_PRIORITY_GROUP_MAP|AZURE|3=2",
			"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP|AZURE|3=2", "PORT_QOS_MAP|Ethernet0|pfc_to_pg_map=AZURE",
			"PORT_QOS_MAP|Ethernet4|pfc_to_pg_map=AZURE", "PORT_QOS_MAP|Ethernet8|pfc_to_pg_map=AZURE",
			"PORT_QOS_MAP|Ethernet12|pfc_to_pg_map=AZURE"}},
		"a port that trims nothing needs no queue for trimmed packets": {"trim-queue", []string{
			"BUFFER_PROFILE|cut|pool=egress_lossy_pool", "BUFFER_PROFILE|cut|size=0", "BUFFER_PROFILE|cut|dynamic_th=-1",
			"BUFFER_PROFILE|cut|packet_discard_action=trim", "BUFFER_QUEUE|Ethernet0|5|profile=cut",
			"BUFFER_QUEUE|Ethernet0|6|profile=egress_lossy_profile", "SWITCH_TRIMMING|GLOBAL|queue_index=6"}},
		"a value that is refused is there": {"trim-incomplete", []string{"SWITCH_TRIMMING|GLOBAL|size=4294967296",
			"SWITCH_TRIMMING|GLOBAL|dscp_value=64", "SWITCH_TRIMMING|GLOBAL|queue_index=any"}},
	} {
		d := base()
		d.set(t, c.edits...)
		require.Empty(t, of(d.run(t, lookup), c.code), name)
	}
}

// TestSizeIncludesHeadroom audits pools of a chip of which it is not known whether a size includes xoff, and the same
// with a statement: what is stated is no longer in doubt.
func TestSizeIncludesHeadroom(t *testing.T) {
	yes, no, unsaid := unit.Given(true), unit.Given(false), unit.Optional[bool]{}
	for name, c := range map[string]struct {
		size, xoff string
		stated     unit.Optional[bool]
		plus, less string // severity of the two codes; "": not found
	}{
		"together over the chip":         {"258035400", "81553920", unsaid, "warning", ""},
		"together, and it is a part":     {"258035400", "81553920", yes, "", ""},
		"together, and they are two":     {"258035400", "81553920", no, "error!", ""},
		"xoff above size":                {"87208380", "177623040", unsaid, "", "warning"},
		"xoff above size, and is a part": {"87208380", "177623040", yes, "", "error!"},
		"xoff above size, and are two":   {"87208380", "177623040", no, "", ""},
	} {
		d := base()
		d.set(t, "DEVICE_METADATA|localhost|platform=x86_64-nexthop_4210-r0021",
			"BUFFER_POOL|ingress_lossless_pool|size="+c.size, "BUFFER_POOL|ingress_lossless_pool|xoff="+c.xoff)
		s := d.source(t, lookup)
		s.SizeIncludesHeadroom = c.stated
		r := audit.Run(s)
		for code, want := range map[finding.Code]string{"pool-plus-xoff-over-chip": c.plus, "pool-xoff-not-below-size": c.less} {
			got := ""
			for _, f := range of(r.Findings, code) {
				if got = string(f.Severity); f.Certain {
					got += "!"
				}
			}
			require.Equal(t, want, got, "%s: %s", name, code)
		}
		if stated, given := c.stated.Get(); given {
			require.Equal(t, stated, r.PoolIncludes(), name)
		}
	}
}

// TestPartWithoutEgress audits a part that says nothing of the egress and declares no ports: that the queues have no
// buffers is not known. It is a finding as soon as the configuration says anything of them, or has ports.
func TestPartWithoutEgress(t *testing.T) {
	const says = "whether the queues have buffers is not checked"
	queues := func(edits ...string) (int, string) {
		d := base()
		d.set(t, edits...)
		r := audit.Run(d.source(t, lookup))
		return len(of(r.Findings, "pfc-queue-not-lossless")) + len(of(r.Findings, "queue-no-buffer")),
			strings.Join(r.Unknown, "\n")
	}
	whole := []string{"BUFFER_QUEUE", "BUFFER_PROFILE|egress_lossless_profile", "BUFFER_PROFILE|egress_lossy_profile",
		"BUFFER_POOL|egress_lossless_pool", "BUFFER_POOL|egress_lossy_pool"}
	found, unknown := queues(append(whole, "PORT")...)
	require.Zero(t, found)
	require.Contains(t, unknown, says)
	for name, edits := range map[string][]string{"it has ports": whole, "it has pools": {"PORT", "BUFFER_QUEUE"},
		"it has queues": {"PORT", "BUFFER_QUEUE|Ethernet0|3-4", "BUFFER_QUEUE|Ethernet0|0-2"}} {
		found, unknown = queues(edits...)
		require.Positive(t, found, name)
		require.NotContains(t, unknown, says, name)
	}
}

// TestSaysWhatIsNotKnown lists what was not checked.
func TestSaysWhatIsNotKnown(t *testing.T) {
	d := base()
	d.set(t, "DEVICE_METADATA")
	s := d.source(t, lookup)
	r := audit.Run(s)
	require.Equal(t, []string{"the chip is not known: the configuration names neither platform nor HwSKU (--chip NAME " +
		"says it)"},
		r.Unknown)
	require.Nil(t, r.Bill)

	s = base().source(t, "")
	s.NoTable = false
	r = audit.Run(s)
	require.Len(t, of(r.Findings, "table-unknown"), 1)
	require.Equal(t, []string{"the headroom table is not given: the lossless groups are not known",
		"the cells are not counted: there are no lossless groups"}, r.Unknown)
}
