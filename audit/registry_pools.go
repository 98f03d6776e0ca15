package audit

import (
	"github.com/cellwarden/cellwarden/finding"
)

// unreadable are the codes of what cannot be read.
var unreadable = []finding.Meaning{
	{Code: "render-error", Severity: finding.Error, Certain: true,
		Rule:   "A template of a hwsku folder does not render.",
		Effect: "The switch has no buffer or QoS configuration after `config qos reload`.",
		Repair: "correct the template, or the file or the link that it includes"},
	{Code: "render-not-json", Severity: finding.Error, Certain: true,
		Rule:   "What a template renders is not JSON.",
		Effect: "The switch refuses the file as a whole.",
		Repair: "correct the template at this place, often a comma"},
	{Code: "not-config-db", Severity: finding.Error, Certain: true,
		Rule:   "The file is not CONFIG_DB, or an entry of it has a form that CONFIG_DB does not have.",
		Effect: "The entry, or the whole file, is not loaded.",
		Repair: "give a config_db.json, a rendered buffer or QoS file, or a hwsku folder"},
	{Code: "duplicate-key", Severity: finding.Warning, Certain: true,
		Rule:   "A table, an entry or a field is given twice in one document.",
		Effect: "The switch takes the last one without a message.",
		Repair: "remove one of the two"},
	{Code: "number-format", Severity: finding.Error, Certain: true,
		Rule: "A field or a key that has to be a number is not one: empty text, a unit, a negative size. Blanks around a " +
			"number are a note.",
		Effect: "orchagent refuses the object, and with it all that refers to it.",
		Repair: "write a whole number"},
	{Code: "value-refused", Severity: finding.Error, Certain: true,
		Rule: "SONiC's YANG model of the table refuses a value: a text that is none of those that it lists, a number " +
			"outside its range, or a field beside one that excludes it (sonic-buildimage, src/sonic-yang-models).",
		Effect: "The updater (config apply-patch) refuses the configuration. A switch that boots with it leaves the " +
			"object out, or takes a default.",
		Repair: "write one of the values that the finding names"},
	{Code: "comment-refused", Severity: finding.Warning, Certain: true,
		Rule: "A template of the buffers of a hwsku folder has a comment to this audit that does not hold: it is not " +
			"understood, another one contradicts it, or packet counts of the chip do. A comment says for the whole folder " +
			"whether the size of a pool includes its xoff: {#- cellwarden: size-includes-headroom=true #}, or false. " +
			"--size-includes-headroom is stronger.",
		Effect: "The folder is audited as if the comment were not there.",
		Repair: "write size-includes-headroom=true or size-includes-headroom=false, as the sizes are meant"},
	{Code: "field-missing", Severity: finding.Error, Certain: true,
		Rule: "An entry has no field that SONiC's YANG model demands: the type and the mode of a pool, the size of a " +
			"profile, the default dynamic_th.",
		Effect: "The updater (config apply-patch) refuses the configuration. A switch that boots with it leaves the " +
			"object out, or takes a default.",
		Repair: "add the field"},
	{Code: "port-missing", Severity: finding.Error, Certain: true,
		Rule: "A table names ports that PORT does not have. In a configuration without PORT, such as a rendered file, " +
			"it is not known.",
		Effect: "SONiC's YANG models refuse the configuration. A switch that boots with it leaves the entries out: the " +
			"port that was meant has no buffer.",
		Repair: "correct the name, or remove the entries"},
	{Code: "chip-unknown", Severity: finding.Note, Certain: true,
		Rule:   "The chip is not known, or its memory is not.",
		Effect: "Nothing is compared with the memory of the chip, and there is no bill of cells.",
		Repair: "name the chip with --chip"},
}

// ofPools are the codes of pools.
func ofPools() []finding.Meaning {
	return append([]finding.Meaning{
		{Code: "pool-over-chip", Severity: finding.Error, Certain: true,
			Rule:   "The size of a pool is larger than the memory of the chip, by every source of its size.",
			Effect: "The chip's SDK refuses the pool, or packets are admitted for which there are no cells.",
			Repair: "make the pool at most as large as the memory less what the chip keeps for itself"},
		{Code: "ingress-sum-over-chip", Severity: finding.Error,
			Rule:   "The ingress pools together are larger than the memory of the chip.",
			Effect: "Both pools cannot be full: one takes cells that the other one counts on.",
			Repair: "give the pools parts of the memory, or put all groups in one pool"},
		{Code: "pool-plus-xoff-over-chip", Severity: finding.Warning,
			Rule: "Size and xoff of a pool together are larger than the memory of the chip. It is an error where they are " +
				"two parts of the memory (Tomahawk, Tomahawk 2, Spectrum). Where size may include xoff it is ambiguous: a note, " +
				"and a warning on Tomahawk 6, where the meaning is disputed in public (sonic-buildimage issue 28657). " +
				"--size-includes-headroom, or a comment of the folder (comment-refused), says which of the two it is, and then " +
				"it is certain, or nothing.",
			Effect: "Where they are two parts, the pool is over-committed: lossless packets find no cell.",
			Repair: "reduce size or xoff, so that both fit in the memory"},
		{Code: "pool-xoff-not-below-size", Severity: finding.Error,
			Rule: "The xoff of a pool is not below its size. It is a warning where they are two parts of the memory " +
				"(Tomahawk, Tomahawk 2, Spectrum), and on Tomahawk 6, where it is ambiguous whether size includes xoff. Where " +
				"--size-includes-headroom=false says that they are two parts, it is no finding.",
			Effect: "If size includes xoff, nothing is left to share: every packet beyond a group's minimum pauses the sender.",
			Repair: "make size larger than xoff"},
		{Code: "egress-lossless-below-ingress", Severity: finding.Warning,
			Rule:   "The egress lossless pool is smaller than the ingress lossless pool.",
			Effect: "A lossless packet that the ingress has admitted can be dropped at the egress.",
			Repair: "make the egress lossless pool at least as large as the ingress pool with its xoff"},
		{Code: "reserved-over-pool", Severity: finding.Warning, Certain: true,
			Rule:   "The reserved sizes of all groups or queues of a pool together are larger than the pool.",
			Effect: "Nothing is left to share, and the last groups do not get their minimum.",
			Repair: "reduce the reserved sizes, or the groups that have them"},
		{Code: "over-commitment", Severity: finding.Error,
			Rule: "Reserved cells, headroom and pool do not fit in the cells of the chip, slice by slice, at the cables of " +
				"the configuration.",
			Effect: "A switch that is configured anew leaves the last ports without buffers, often without a message.",
			Repair: "shorten cables, use fewer lossless ports, or share headroom"},
		{Code: "pool-over-limit", Severity: finding.Error, Certain: true,
			Rule:   "A pool is larger than the largest pool that the chip can hold in its slices.",
			Effect: "The chip's SDK refuses the pool.",
			Repair: "make the pool at most as large as the chip's largest"},
		{Code: "pool-size-other-ports", Severity: finding.Warning,
			Rule: "The size or the xoff of the lossless pool is not what the vendor's sum gives for the ports of the switch. " +
				"On Spectrum, memory less size and xoff is 256 KiB and a weight for each port; on Arista's Tomahawk 5, memory " +
				"less " +
				"size is a base of the board and 14 cells for each port. The sums are inferred from what SONiC's folders ship.",
			Effect: "If the pool is for fewer ports than there are, pool and reserves are more than the memory once all ports " +
				"are up. If it is for more, memory is left unused.",
			Repair: "compute the pool for the ports of the switch (cellwarden plan --sonic-pools FOLDER)"},
		{Code: "pool-size-other-chip", Severity: finding.Warning,
			Rule:   "The lossless pool has the size of another chip's.",
			Effect: "Memory is left unused, or the pool is larger than the memory.",
			Repair: "compute the pool for the chip of the switch"},
	}, ofTables("cell-misaligned")...)
}

// ofProfiles are the codes of profiles.
var ofProfiles = []finding.Meaning{
	{Code: "profile-missing", Severity: finding.Error, Certain: true,
		Rule:   "A group, a queue or a port names a profile that BUFFER_PROFILE does not have.",
		Effect: "orchagent waits for the profile for ever: the group or the queue has no buffer.",
		Repair: "add the profile, or name an existing one"},
	{Code: "pool-missing", Severity: finding.Error, Certain: true,
		Rule:   "A profile names a pool that BUFFER_POOL does not have.",
		Effect: "orchagent waits for the pool for ever: the profile and all that refers to it have no buffer.",
		Repair: "add the pool, or name an existing one"},
	{Code: "profile-direction", Severity: finding.Error, Certain: true,
		Rule:   "A group has a profile of an egress pool, or a queue one of an ingress pool.",
		Effect: "SAI refuses the object. On a chip that is not known it is a warning, because SONiC's models accept it.",
		Repair: "give groups profiles of ingress pools, and queues profiles of egress pools"},
	{Code: "profile-xoff-over-pool-xoff", Severity: finding.Error, Certain: true,
		Rule: "The headroom of one group (xoff of a profile or of a row) is larger than the pool of all (xoff of the " +
			"pool).",
		Effect: "A group never gets the headroom that it was given: packets are dropped while the sender reacts.",
		Repair: "enlarge the pool's xoff, or shorten the cable"},
	{Code: "size-below-xoff", Severity: finding.Error, Certain: true,
		Rule: "The pool has no shared headroom, so size includes xoff, and size is smaller than xoff. The columns may be " +
			"exchanged, or the table made for a pool with shared headroom.",
		Effect: "The group has less headroom than the row says, or none. On a chip that is not known it is a warning: its " +
			"size may not include xoff.",
		Repair: "write size = reserved + xoff, or give the pool an xoff"},
	{Code: "xon-xoff-over-size", Severity: finding.Warning,
		Rule:   "On Spectrum without shared headroom, xon and xoff together are larger than size.",
		Effect: "The group pauses, and has less headroom than xoff says.",
		Repair: "write size = xon + xoff"},
	{Code: "static-th-over-pool", Severity: finding.Warning,
		Rule: "The static limit of a profile is larger than its pool. A limit of the whole memory of the chip means no " +
			"limit, and is not meant here.",
		Effect: "The limit never takes effect. It was often left from a larger pool.",
		Repair: "write the size of the pool, or less"},
	{Code: "alpha-outside-chip", Severity: finding.Warning,
		Rule:   "dynamic_th is outside the alphas of the chip.",
		Effect: "The switch refuses the profile, or takes the nearest alpha.",
		Repair: "write a dynamic_th of the chip"},
}
