package audit

import (
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/auditcode"
)

// unreadable are the codes of what cannot be read.
var unreadable = []finding.Meaning{
	{Code: auditcode.RenderError, Severity: finding.Error, Certain: true,
		Rule:   "A template of a hwsku folder does not render.",
		Effect: "The switch has no buffer or QoS configuration after `config qos reload`.",
		Repair: "correct the template, or the file or the link that it includes",
		Mistakes: []finding.Mistake{
			{Commit: "ee70fb668c11", Date: "2025-06-11", Subject: "[Arista][DT2] Add QoS to Arista-7060X6-64PE-B-P64 (#22837)",
				Found: "buffers.json.j2, topology ft2: unknown tag 'endmacro'"},
			{Commit: "92eb7b47b299", Date: "2018-07-03",
				Subject: "[mellanox]: Fix symlink to QOS config file for MSN2740 platform (#1842)",
				Found:   "qos.json.j2 is not found"}}},
	{Code: auditcode.RenderNotJSON, Severity: finding.Error, Certain: true,
		Rule:   "What a template renders is not JSON.",
		Effect: "The switch refuses the file as a whole.",
		Repair: "correct the template at this place, often a comma",
		Mistakes: []finding.Mistake{
			{Commit: "38403de36ce1", Date: "2025-01-29", Subject: "[Mellanox] Fix SN5600 buffers_defaults_objects.j2 (#21543)",
				Found: "buffers.json.j2 of Mellanox-SN5600-C256S1, topologies t0 and t1"},
			{Commit: "380edf054dbc", Date: "2021-01-12",
				Subject: "[Platform][nokia]: python3-smbus package add with python3 and jinja fixes  (#6416)",
				Found:   "buffers.json.j2 and qos.json.j2 of Nokia-7215, topology t1"}}},
	{Code: auditcode.NotConfigDB, Severity: finding.Error, Certain: true,
		Rule:   "The file is not CONFIG_DB, or an entry of it has a form that CONFIG_DB does not have.",
		Effect: "The entry, or the whole file, is not loaded.",
		Repair: "give a config_db.json, a rendered buffer or QoS file, or a hwsku folder"},
	{Code: auditcode.DuplicateKey, Severity: finding.Warning, Certain: true,
		Rule:   "A table, an entry or a field is given twice in one document.",
		Effect: "The switch takes the last one without a message.",
		Repair: "remove one of the two"},
	{Code: auditcode.NumberFormat, Severity: finding.Error, Certain: true,
		Rule: "A field or a key that has to be a number is not one: empty text, a unit, a negative size. Blanks around a " +
			"number are a note.",
		Effect: "orchagent refuses the object, and with it all that refers to it.",
		Repair: "write a whole number",
		Mistakes: []finding.Mistake{{Commit: "34be53a22e94", Date: "2021-12-21",
			Subject: "Fix typo and missing files in SN3800 and SN4600C's buffer templates (#9537)",
			Found:   "xoff of ingress_lossless_pool is an empty text, topologies t0 and t1"}}},
	{Code: auditcode.ValueRefused, Severity: finding.Error, Certain: true,
		Rule: "SONiC's YANG model of the table refuses a value: a text that is none of those that it lists, a number " +
			"outside its range, or a field beside one that excludes it (sonic-buildimage, src/sonic-yang-models).",
		Effect: "The updater (config apply-patch) refuses the configuration. A switch that boots with it leaves the " +
			"object out, or takes a default.",
		Repair: "write one of the values that the finding names"},
	{Code: auditcode.CommentRefused, Severity: finding.Warning, Certain: true,
		Rule: "A template of the buffers of a hwsku folder has a comment to this audit that does not hold: it is not " +
			"understood, another one contradicts it, or packet counts of the chip do. A comment says for the whole folder " +
			"whether the size of a pool includes its xoff: {#- cellwarden: size-includes-headroom=true #}, or false. " +
			"--size-includes-headroom is stronger.",
		Effect: "The folder is audited as if the comment were not there.",
		Repair: "write size-includes-headroom=true or size-includes-headroom=false, as the sizes are meant"},
	{Code: auditcode.FieldMissing, Severity: finding.Error, Certain: true,
		Rule: "An entry has no field that SONiC's YANG model demands: the type and the mode of a pool, the size of a " +
			"profile, the default dynamic_th.",
		Effect: "The updater (config apply-patch) refuses the configuration. A switch that boots with it leaves the " +
			"object out, or takes a default.",
		Repair: "add the field"},
	{Code: auditcode.PortMissing, Severity: finding.Error, Certain: true,
		Rule: "A table names ports that PORT does not have. In a configuration without PORT, such as a rendered file, " +
			"it is not known.",
		Effect: "SONiC's YANG models refuse the configuration. A switch that boots with it leaves the entries out: the " +
			"port that was meant has no buffer.",
		Repair: "correct the name, or remove the entries"},
	{Code: chipUnknown, Severity: finding.Note, Certain: true,
		Rule:   "The chip is not known, or its memory is not.",
		Effect: "Nothing is compared with the memory of the chip, and there is no bill of cells.",
		Repair: "name the chip with --chip"},
}

// ofPools are the codes of pools.
func ofPools() []finding.Meaning {
	return append([]finding.Meaning{
		{Code: poolOverChip, Severity: finding.Error, Certain: true,
			Rule:   "The size of a pool is larger than the memory of the chip, by every source of its size.",
			Effect: "The chip's SDK refuses the pool, or packets are admitted for which there are no cells.",
			Repair: "make the pool at most as large as the memory less what the chip keeps for itself",
			Mistakes: []finding.Mistake{
				{Commit: "44bc083cdedb", Date: "2019-06-12", Subject: "[mlnx] change egress pool size from 40M to 37M (#2992)",
					Found: "egress_lossless_pool size 41943024, memory of spectrum-2 34287552; the change left 38797200, and " +
						"8989c0f8 35966016"},
				{Commit: "0db7e8831399", Date: "2020-07-30", Subject: "[Mellanox] Update the buffer setting (#4989)",
					Found: "egress_lossless_pool size 14024599, memory of spectrum-1 13945824; also on two Spectrum-2"},
				{Commit: "fe6664b1bb2c", Date: "2019-08-08", Subject: "[Dell] S5232f default buffer configuration changes (#3278)",
					Found: "ingress_lossless_pool size 33554432, memory of trident3 33030144"}}},
		{Code: ingressSumOverChip, Severity: finding.Error,
			Rule:   "The ingress pools together are larger than the memory of the chip.",
			Effect: "Both pools cannot be full: one takes cells that the other one counts on.",
			Repair: "give the pools parts of the memory, or put all groups in one pool",
			Mistakes: []finding.Mistake{{Commit: "0db7e8831399", Date: "2020-07-30",
				Subject: "[Mellanox] Update the buffer setting (#4989)",
				Found:   "ACS-MSN3800: 56393568 in topology t0 and 35782560 in t1, memory of spectrum-2 34287552"}}},
		{Code: poolPlusXOFFOverChip, Severity: finding.Warning,
			Rule: "Size and xoff of a pool together are larger than the memory of the chip. It is an error where they are " +
				"two parts of the memory (Tomahawk, Tomahawk 2, Spectrum). Where size may include xoff it is ambiguous: a note, " +
				"and a warning on Tomahawk 6, where the meaning is disputed in public (sonic-buildimage issue 28657). " +
				"--size-includes-headroom, or a comment of the folder (comment-refused), says which of the two it is, and then " +
				"it is certain, or nothing.",
			Effect: "Where they are two parts, the pool is over-committed: lossless packets find no cell.",
			Repair: "reduce size or xoff, so that both fit in the memory",
			Mistakes: []finding.Mistake{
				{Commit: "74aa48279f2e", Date: "2018-05-17",
					Subject: "[devices]: Reverting the xoff value for Arista 7060 t0 topology (#1726)",
					Found:   "size 11213696 and xoff 8356608, memory of tomahawk 16777280"},
				{Commit: "a0bd65623d2d", Date: "2018-07-09", Subject: "[device/dell] Update Shared headroom values (#1846)",
					Found: "the same numbers on Force10-Z9100-T0; the change left xoff 6387264, which is still too much"},
				{Commit: "5aa06359a1db", Date: "2026-04-10", Subject: "Fix buffer pool sizes for Arista-7060X6-64PE-B SKUs " +
					"(#25560)", Found: "size 164302948 and xoff 17962880, memory of tomahawk5 173268640: ambiguous"}}},
		{Code: poolXOFFNotBelowSize, Severity: finding.Error,
			Rule: "The xoff of a pool is not below its size. It is a warning where they are two parts of the memory " +
				"(Tomahawk, Tomahawk 2, Spectrum), and on Tomahawk 6, where it is ambiguous whether size includes xoff. Where " +
				"--size-includes-headroom=false says that they are two parts, it is no finding.",
			Effect: "If size includes xoff, nothing is left to share: every packet beyond a group's minimum pauses the sender.",
			Repair: "make size larger than xoff"},
		{Code: egressBelowIngress, Severity: finding.Warning,
			Rule:   "The egress lossless pool is smaller than the ingress lossless pool.",
			Effect: "A lossless packet that the ingress has admitted can be dropped at the egress.",
			Repair: "make the egress lossless pool at least as large as the ingress pool with its xoff"},
		{Code: reservedOverPool, Severity: finding.Warning, Certain: true,
			Rule:   "The reserved sizes of all groups or queues of a pool together are larger than the pool.",
			Effect: "Nothing is left to share, and the last groups do not get their minimum.",
			Repair: "reduce the reserved sizes, or the groups that have them"},
		{Code: overCommitment, Severity: finding.Error,
			Rule: "Reserved cells, headroom and pool do not fit in the cells of the chip, slice by slice, at the cables of " +
				"the configuration.",
			Effect: "A switch that is configured anew leaves the last ports without buffers, often without a message.",
			Repair: "shorten cables, use fewer lossless ports, or share headroom"},
		{Code: poolOverLimit, Severity: finding.Error, Certain: true,
			Rule:   "A pool is larger than the largest pool that the chip can hold in its slices.",
			Effect: "The chip's SDK refuses the pool.",
			Repair: "make the pool at most as large as the chip's largest"},
		{Code: poolOfOtherPorts, Severity: finding.Warning,
			Rule: "The size or the xoff of the lossless pool is not what the vendor's sum gives for the ports of the switch. " +
				"On Spectrum, memory less size and xoff is 256 KiB and a weight for each port; on Arista's Tomahawk 5, memory " +
				"less " +
				"size is a base of the board and 14 cells for each port. The sums are inferred from what SONiC's folders ship.",
			Effect: "If the pool is for fewer ports than there are, pool and reserves are more than the memory once all ports " +
				"are up. If it is for more, memory is left unused.",
			Repair: "compute the pool for the ports of the switch (cellwarden plan --sonic-pools FOLDER)"},
		{Code: poolOfOtherChip, Severity: finding.Warning,
			Rule:   "The lossless pool has the size of another chip's.",
			Effect: "Memory is left unused, or the pool is larger than the memory.",
			Repair: "compute the pool for the chip of the switch"},
	}, ofTables(cellMisaligned)...)
}

// ofProfiles are the codes of profiles.
var ofProfiles = []finding.Meaning{
	{Code: auditcode.ProfileMissing, Severity: finding.Error, Certain: true,
		Rule:   "A group, a queue or a port names a profile that BUFFER_PROFILE does not have.",
		Effect: "orchagent waits for the profile for ever: the group or the queue has no buffer.",
		Repair: "add the profile, or name an existing one",
		Mistakes: []finding.Mistake{
			{Commit: "2a4bc3efb0cc", Date: "2025-02-07", Subject: "Fix buffer configs for TH5 C224 SKU (#21624)",
				Found: "queues 3-4 name egress_lossless_profile, topologies t0 and t1"},
			{Commit: "4026a8bc8d91", Date: "2019-10-24", Subject: "Remove macro generate_pg_profils for 7170 buffer (#3635)",
				Found: "groups 3-4 name ingress_lossless_profile, topologies t0 and t1"}}},
	{Code: auditcode.PoolMissing, Severity: finding.Error, Certain: true,
		Rule:   "A profile names a pool that BUFFER_POOL does not have.",
		Effect: "orchagent waits for the pool for ever: the profile and all that refers to it have no buffer.",
		Repair: "add the pool, or name an existing one"},
	{Code: profileDirection, Severity: finding.Error, Certain: true,
		Rule:   "A group has a profile of an egress pool, or a queue one of an ingress pool.",
		Effect: "SAI refuses the object. On a chip that is not known it is a warning, because SONiC's models accept it.",
		Repair: "give groups profiles of ingress pools, and queues profiles of egress pools"},
	{Code: profileXOFFOverPool, Severity: finding.Error, Certain: true,
		Rule: "The headroom of one group (xoff of a profile or of a row) is larger than the pool of all (xoff of the " +
			"pool).",
		Effect: "A group never gets the headroom that it was given: packets are dropped while the sender reacts.",
		Repair: "enlarge the pool's xoff, or shorten the cable",
		Mistakes: []finding.Mistake{
			{Commit: "69b476419af7", Date: "2024-12-05",
				Subject: "Set `xoff` of `x86_64-arista_7800r3_48cq2_lc` to the same as`x86_64-arista_7800r3_48cqm2_lc` (#20926)",
				Found:   "400G over 120km: xoff 79900672, pool 20761804"},
			{Commit: "9068bd986b2e", Date: "2023-09-26",
				Subject: "[nokia]: Updated total headroom pool size to accommodate 100G ports on T2 uplinks (#16690)",
				Found:   "100G over 80km: xoff 13357056, pool 7785676"},
			{Commit: "5b185d45d9da", Date: "2025-01-17",
				Subject: "[Mellanox] Update Mellanox-SN5600-C256S1, Mellanox-SN5600-C224O8 buffers and DSCP mapping (#21427)",
				Found:   "10G over 5m: xoff 20480, pool 1024"}}},
	{Code: sizeBelowXOFF, Severity: finding.Error, Certain: true,
		Rule: "The pool has no shared headroom, so size includes xoff, and size is smaller than xoff. The columns may be " +
			"exchanged, or the table made for a pool with shared headroom.",
		Effect: "The group has less headroom than the row says, or none. On a chip that is not known it is a warning: its " +
			"size may not include xoff.",
		Repair: "write size = reserved + xoff, or give the pool an xoff",
		Mistakes: []finding.Mistake{
			{Commit: "1cc6afc9a9a0", Date: "2019-02-04",
				Subject: "[QoS]: fix size and xoff value on a7050-QX-32S, -QX32, and s6000(#2527)",
				Found:   "size 55120, xoff 56368: the columns are exchanged"},
			{Commit: "fe6664b1bb2c", Date: "2019-08-08", Subject: "[Dell] S5232f default buffer configuration changes (#3278)",
				Found: "100G over 300m: size 1248, xoff 268736, and the pool has no xoff"}}},
	{Code: xonXOFFOverSize, Severity: finding.Warning,
		Rule:   "On Spectrum without shared headroom, xon and xoff together are larger than size.",
		Effect: "The group pauses, and has less headroom than xoff says.",
		Repair: "write size = xon + xoff"},
	{Code: staticThOverPool, Severity: finding.Warning,
		Rule: "The static limit of a profile is larger than its pool. A limit of the whole memory of the chip means no " +
			"limit, and is not meant here.",
		Effect: "The limit never takes effect. It was often left from a larger pool.",
		Repair: "write the size of the pool, or less",
		Mistakes: []finding.Mistake{
			{Commit: "055462157cde", Date: "2026-06-04", Subject: "Update static_th values for TH5-512 hwskus (#27504)",
				Found: "static_th 165364160, pool 164075364"},
			{Commit: "6d746be5ae5d", Date: "2026-05-06",
				Subject: "[Nexthop] Fix for BUFFER_PG errors seen in SAI 14.0.12 for NH-4010 devices (#25945)",
				Found:   "static_th 167546528, pool 166115492"},
			{Commit: "f3cfa8fdff25", Date: "2019-10-04", Subject: "Fix buffer configurations for 7170 (#2972)",
				Found: "static_th 44302336, the memory of another chip, and pool 33329088"}}},
	{Code: alphaOutsideChip, Severity: finding.Warning,
		Rule:   "dynamic_th is outside the alphas of the chip.",
		Effect: "The switch refuses the profile, or takes the nearest alpha.",
		Repair: "write a dynamic_th of the chip"},
}
