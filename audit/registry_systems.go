package audit

import (
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/auditcode"
)

// ofSystems are the codes of configurations that are not SONiC's: FBOSS, NX-OS, EOS and Junos.
var ofSystems = []finding.Meaning{
	{Code: statementUnread, Severity: finding.Note, Certain: true,
		Rule:   "A statement about buffers or QoS is not understood.",
		Effect: "The audit ignores its effect.",
		Repair: "none, if the statement is right; check its effect by hand"},
	{Code: nameMissing, Severity: finding.Error, Certain: true,
		Rule:   "A statement names a policy, a class, a profile, a map or a pool that the configuration does not have.",
		Effect: "The switch refuses the statement, or uses its defaults in place of the named object.",
		Repair: "add the named object, or name an existing one"},
	{Code: pfcNoClass, Severity: finding.Error, Certain: true,
		Rule:   "PFC is on at a port, and no class that the port has is without drops.",
		Effect: "The port pauses its sender for nothing: all packets are dropped as others are.",
		Repair: "make a class without drops and apply it, or switch PFC off"},
	{Code: auditcode.PFCWithPause, Severity: finding.Error, Certain: true,
		Rule:   "A port has both PFC and PAUSE (IEEE 802.3x).",
		Effect: "The switch refuses the port, or PAUSE stops all classes.",
		Repair: "switch one of the two off"},
	{Code: noDropNoPFC, Severity: finding.Warning,
		Rule:   "A port has classes without drops, and PFC is off.",
		Effect: "Nothing pauses the sender: headroom is reserved and packets are dropped when it is full.",
		Repair: "switch PFC on at the port, or take the classes from it"},
	{Code: noDropOverLimit, Severity: finding.Error, Certain: true,
		Rule:   "There are more classes without drops than the switch can have.",
		Effect: "The switch refuses the configuration, or the last classes drop.",
		Repair: "use fewer classes without drops"},
	{Code: auditcode.NoDropNoHeadroom, Severity: finding.Error,
		Rule:   "A class without drops has no headroom, or the part of the memory for headroom is 0.",
		Effect: "Packets that arrive after the pause was sent are dropped.",
		Repair: "give the class headroom for its cable (cellwarden headroom)"},
	{Code: auditcode.PauseThresholds, Severity: finding.Error, Certain: true,
		Rule: "The thresholds of a class without drops are out of order: resume must not be above pause, and pause " +
			"must be " +
			"below the size of the buffer.",
		Effect: "The switch refuses them, or packets are dropped before the sender is paused.",
		Repair: "write resume, pause and size in ascending order"},
	{Code: auditcode.ClassNotNoDrop, Severity: finding.Error,
		Rule: "A priority with PFC belongs to a class or a queue that drops, or a class without drops has no " +
			"priority with " +
			"PFC.",
		Effect: "The priority is paused and its packets are dropped, or packets that must not be dropped are not " +
			"paused.",
		Repair: "give the priority and the class the same queue, or switch PFC off for the priority"},
	{Code: partitionSum, Severity: finding.Error, Certain: true,
		Rule:   "The partitions of the shared buffer are not 100 % together. Of the egress it is a note.",
		Effect: "Junos refuses the commit by its command reference; in use are partitions of the egress that are less.",
		Repair: "write percentages that are 100 together"},
	{Code: auditcode.BandwidthSum, Severity: finding.Error, Certain: true,
		Rule:   "The bandwidths of the queues of a port are more than 100 % together.",
		Effect: "The switch refuses the policy, or the last queues get less than they are given.",
		Repair: "write percentages that are at most 100 together"},
	{Code: wredNoDrop, Severity: finding.Error,
		Rule: "A queue of a class without drops has random early detection without ECN, or the switch drops the packets " +
			"of the class that it cannot mark.",
		Effect: "Packets that must not be dropped are dropped before the queue is full, or the switch refuses the policy.",
		Repair: "mark in place of dropping (ecn), or take random detection from the queue"},
	{Code: ecnOtherQueue, Severity: finding.Warning,
		Rule:   "ECN marks a queue whose class drops, and no queue of a class without drops.",
		Effect: "Senders of the class without drops are paused, and never told to slow down.",
		Repair: "mark in the queue of the class without drops"},
	{Code: mtuOverClass, Severity: finding.Warning,
		Rule:   "A port takes longer frames than a class without drops is for, or than its headroom is computed with.",
		Effect: "Longer frames of the class are dropped, or the headroom is full before the last of them has come.",
		Repair: "write the largest MTU of the ports, unless no longer frame of the class comes"},
	{Code: pfcOneWay, Severity: finding.Warning,
		Rule:   "A port with classes without drops sends PFC and does not heed it, or heeds it and sends none.",
		Effect: "Packets are dropped at the end that nothing pauses, or that is not heard.",
		Repair: "switch both directions on, unless the other end does without one"},
}
