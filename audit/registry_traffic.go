package audit

import (
	"slices"

	"github.com/cellwarden/cellwarden/finding"
)

// ofHeadroom are the codes of headroom and of headroom tables.
func ofHeadroom() []finding.Meaning {
	return slices.Concat(ofTables("headroom-below-flight", "headroom-below-frame"), []finding.Meaning{
		{Code: "lossless-no-row", Severity: finding.Error, Certain: true,
			Rule: "The headroom table has no row for the speed and the cable of a port with PFC. The buffer manager looks for " +
				"equal texts and interpolates nothing.",
			Effect: "The port has no lossless groups: PFC is on, and lossless packets are dropped as others are.",
			Repair: "add a row to pg_profile_lookup.ini, or correct the cable length"},
	}, ofTables("xoff-shrinks-with-length", "xoff-shrinks-with-speed", "xoff-same-for-lengths",
		"xoff-same-as-shorter", "xoff-same-for-speeds",
		"xon-offset-odd", "row-odd", "row-duplicate", "row-unreadable"), []finding.Meaning{
		{Code: "table-unknown", Severity: finding.Note, Certain: true,
			Rule: "The buffer manager makes the lossless groups from a headroom table (pg_profile_lookup.ini), and the table " +
				"was not given. The groups are not in the configuration.",
			Effect: "Headroom, and whether every port has some, is not known.",
			Repair: "give the table with --headroom-table, or the hwsku folder"},
		{Code: "cable-missing", Severity: finding.Error, Certain: true,
			Rule: "A port with PFC has no length in CABLE_LENGTH. A length of 0m is not meant: it says that the manager " +
				"makes no group.",
			Effect: "The buffer manager makes no lossless groups for the port.",
			Repair: "add the port to CABLE_LENGTH"},
	})
}

// ofPFC are the codes of PFC, groups and queues.
var ofPFC = []finding.Meaning{
	{Code: "pfc-queue-not-lossless", Severity: finding.Error,
		Rule:   "A priority has PFC, and its queue has no profile of a lossless egress pool.",
		Effect: "Packets that the ingress protects are dropped at the egress.",
		Repair: "give the queue the lossless egress profile"},
	{Code: "pfc-pg-lossy", Severity: finding.Error, Certain: true,
		Rule:   "A priority has PFC, and its group has a profile without headroom.",
		Effect: "The port pauses its sender too late, or never: lossless packets are dropped.",
		Repair: "give the group a profile with xoff, or remove the entry, so that the buffer manager makes one"},
	{Code: "pfc-pg-missing", Severity: finding.Error,
		Rule: "A priority has PFC, and its group has no buffer: no entry of BUFFER_PG, and the buffer manager makes none " +
			"(a cable of 0m).",
		Effect: "Every check of the switch is green, and the port forwards without lossless buffers.",
		Repair: "give the port its cable length, or switch PFC off for it"},
	{Code: "pfc-tc-other-pg", Severity: finding.Warning,
		Rule:   "The traffic class of a priority with PFC is mapped to a group of another number.",
		Effect: "The group that fills is not the one of the priority that the port pauses, unless pfc_to_pg_map says so too.",
		Repair: "map the traffic class to the group of its priority"},
	{Code: "pg-overwritten", Severity: finding.Warning, Certain: true,
		Rule: "BUFFER_PG names a profile for the lossless groups of a port, and the buffer manager makes another one of " +
			"the headroom table.",
		Effect: "The manager writes its own profile into the entry. The one that the configuration names is not used.",
		Repair: "change the row of the table, or the profile pg_lossless_SPEED_CABLE_profile, which the manager uses if it " +
			"is there"},
	{Code: "lossless-pg-no-pfc", Severity: finding.Warning,
		Rule:   "A group has a profile with headroom, and its priority has no PFC.",
		Effect: "The headroom is reserved and never used: nothing pauses the sender.",
		Repair: "add the priority to pfc_enable, or give the group a lossy profile"},
	{Code: "queue-no-buffer", Severity: finding.Warning, Certain: true,
		Rule:   "QUEUE gives a queue a scheduler or a marking profile, and BUFFER_QUEUE gives it no buffer.",
		Effect: "The queue has the buffer of the chip's default, which may be none.",
		Repair: "give the queue a profile in BUFFER_QUEUE"},
}

// ofMaps are the codes of maps, marking and scheduling.
var ofMaps = []finding.Meaning{
	{Code: "map-missing", Severity: finding.Error, Certain: true,
		Rule:   "PORT_QOS_MAP names a map that is not there.",
		Effect: "orchagent waits for the map for ever, and the port keeps the chip's default.",
		Repair: "add the map, or name an existing one"},
	{Code: "dscp-no-tc", Severity: finding.Warning, Certain: true,
		Rule:   "A DSCP map leaves code points out.",
		Effect: "Packets with these code points have the traffic class of the chip's default.",
		Repair: "map all 64 code points"},
	{Code: "tc-no-pg", Severity: finding.Warning, Certain: true,
		Rule:   "A traffic class that a DSCP has is not in the map of groups.",
		Effect: "Its packets are counted in the group of the chip's default.",
		Repair: "map the traffic class to a group"},
	{Code: "tc-no-queue", Severity: finding.Warning, Certain: true,
		Rule:   "A traffic class that a DSCP has is not in the map of queues.",
		Effect: "Its packets leave by the queue of the chip's default.",
		Repair: "map the traffic class to a queue"},
	{Code: "tc-lossless-lossy", Severity: finding.Warning,
		Rule: "A traffic class is mapped to a lossless group and a lossy queue, or to a lossy group and the queue of a " +
			"priority with PFC.",
		Effect: "Its packets are protected at one side and dropped at the other, or stop behind a paused queue.",
		Repair: "map the traffic class to a group and a queue of one kind"},
	{Code: "wred-missing", Severity: finding.Error, Certain: true,
		Rule:   "QUEUE names a marking profile that WRED_PROFILE does not have.",
		Effect: "The queue does not mark.",
		Repair: "add the profile, or name an existing one"},
	{Code: "wred-min-over-max", Severity: finding.Error, Certain: true,
		Rule:   "The lower threshold of a marking profile is above the upper one.",
		Effect: "The switch refuses the profile, or marks everything from the upper threshold on.",
		Repair: "exchange the two, or correct the wrong one"},
	{Code: "wred-max-over-pool", Severity: finding.Note, Certain: true,
		Rule: "The upper threshold of a marking profile is larger than the largest ingress pool, with the headroom that " +
			"may come on top of it.",
		Effect: "No queue is ever so deep: packets are marked with less than the highest probability, and then dropped " +
			"or paused.",
		Repair: "write thresholds of the pool of this chip"},
	{Code: "ecn-after-pfc", Severity: finding.Note,
		Rule: "The lower threshold of a marking profile is above what a lossless group can hold before it pauses, when it " +
			"is alone: alpha x pool / (1 + alpha).",
		Effect: "Senders are paused before they are told to slow down.",
		Repair: "mark below the pause threshold (cellwarden ecn)"},
	{Code: "scheduler-missing", Severity: finding.Error, Certain: true,
		Rule:   "QUEUE names a scheduler that SCHEDULER does not have.",
		Effect: "The queue has the chip's default.",
		Repair: "add the scheduler, or name an existing one"},
	{Code: "scheduler-weight", Severity: finding.Error, Certain: true,
		Rule:   "The weight of a scheduler is not 1 to 100, which sonic-scheduler.yang accepts, or DWRR has none.",
		Effect: "The switch refuses the scheduler.",
		Repair: "write a weight from 1 to 100"},
}

// ofPeers are the codes of the two ends of a link.
var ofPeers = []finding.Meaning{
	{Code: "peer-priorities", Severity: finding.Error, Certain: true,
		Rule:   "The two ends of a link have PFC on different priorities.",
		Effect: "One end pauses a priority that the other one does not stop.",
		Repair: "give both ends the same pfc_enable"},
	{Code: "peer-cable", Severity: finding.Warning, Certain: true,
		Rule:   "The two ends of a link have different cable lengths.",
		Effect: "One end has headroom for a shorter cable than there is.",
		Repair: "write the length of the cable at both ends"},
	{Code: "peer-speed", Severity: finding.Error, Certain: true,
		Rule:   "The two ends of a link have different speeds.",
		Effect: "The link does not come up.",
		Repair: "give both ends the same speed"},
}
