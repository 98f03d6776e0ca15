package sonic

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/profiles"
)

// Where the entries of the profile come from.
const (
	sourceUpdater  = "sonic-utilities 691b1bbc and its branches, gcu_field_operation_validators.conf.json"
	sourceSorter   = "sonic-utilities 691b1bbc, generic_config_updater/patch_sorter.py"
	sourceSONiC    = "sonic-mgmt-common: it has no openconfig-qos"
	sourceSONiCgnm = "sonic-gnmi: origin sonic-db, JSON_IETF only"
)

// gnmiProfile is community SONiC. It has no openconfig-qos: package native sends it CONFIG_DB.
func gnmiProfile() *nos.Profile {
	// The client of CONFIG_DB in sonic-gnmi (sonic_data_client/mixed_db_client.go) does not
	// get the extensions of a Set, so that a commit would be ignored.
	p := profiles.New(nos.Profile{Name: "sonic", Title: "SONiC, community", Models: []string{"sonic-"},
		Organizations: []string{"sonic"}, Dialect: "sonic", NoCommit: true})
	p.Without("SONiC has no openconfig-qos", profiles.From(sourceSONiC), buffer.Kinds()...)

	const db = "CONFIG_DB (origin sonic-db), sent by apply and written by render --dialect sonic: "
	p.Elsewhere(db+"BUFFER_POOL, which needs a reload from release 202511 on", buffer.PoolShared, buffer.PoolHeadroom)
	p.Elsewhere(db+"BUFFER_PROFILE size", buffer.GroupReserved)
	p.Elsewhere(db+"BUFFER_PROFILE dynamic_th", buffer.GroupAlpha)
	p.Elsewhere(db+"BUFFER_PROFILE static_th", buffer.GroupStatic)
	p.Elsewhere("CONFIG_DB (origin sonic-db): BUFFER_PORT_INGRESS_PROFILE_LIST (not written)", buffer.PortMinimum)
	p.Elsewhere(db+"BUFFER_PROFILE xoff", buffer.GroupHeadroom)
	p.Elsewhere(db+"BUFFER_PROFILE xon_offset", buffer.GroupXONOffset)
	p.Elsewhere(db+"PORT_QOS_MAP pfc_enable", buffer.GroupLossless)
	p.Elsewhere(db+"BUFFER_QUEUE and BUFFER_PROFILE size, after the switch's own egress profile", buffer.QueueReserved)
	p.Elsewhere(db+"WRED_PROFILE and QUEUE", buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax)
	p.Elsewhere(db+"SCHEDULER and QUEUE", buffer.QueueWeight)
	p.Elsewhere(db+"DSCP_TO_TC_MAP and PORT_QOS_MAP dscp_to_tc_map", buffer.PriorityDSCP)

	p.AddQuirk(profiles.JSONOnly, 0, "values other than JSON_IETF are refused; "+
		"all paths of a Set are of one origin and one database", profiles.From(sourceSONiCgnm))
	p.AddQuirk(profiles.PoolsRefused, 0, "the generic updater accepts whole profiles from release 202511 on, and refuses "+
		"every change of BUFFER_POOL from then on; before, it accepted size and xoff of ingress_lossless_pool; of the "+
		"fields of a profile it accepts dynamic_th and xoff, by chip and release", profiles.From(sourceUpdater))
	p.AddEffect(buffer.DisruptsSwitch, "a reload of the configuration restarts the forwarding plane",
		profiles.Inferred(sourceUpdater), buffer.PoolShared, buffer.PoolHeadroom)
	p.AddEffect(buffer.DisruptsPort, "the generic updater shuts a port down while it changes the port's groups, queues, "+
		"maps or PFC", profiles.From(sourceSorter), buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic,
		buffer.GroupLossless, buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved, buffer.QueueECNMin,
		buffer.QueueECNMax, buffer.QueueECNPMax, buffer.QueueWeight, buffer.PriorityDSCP)
	p.Elsewhere("CONFIG_DB has one level of queues (sonic-scheduler.yang)", buffer.QueueClass, buffer.QueueShare,
		buffer.ClassBandwidth, buffer.ClassIdleSlope)
	return profiles.RestDisruptsNothing(p)
}
