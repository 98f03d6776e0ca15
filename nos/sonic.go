package nos

import (
	"github.com/cellwarden/cellwarden/buffer"
)

// sonic is community SONiC. It has no openconfig-qos: package native sends it CONFIG_DB.
func sonic() *Profile {
	// The client of CONFIG_DB in sonic-gnmi (sonic_data_client/mixed_db_client.go) does not
	// get the extensions of a Set, so that a commit would be ignored.
	p := &Profile{Name: SONiC, Title: "SONiC, community", Models: []string{"sonic-"}, Organizations: []string{"sonic"},
		Dialect: "sonic", NoCommit: true, Rules: modelRules()}
	p.without("SONiC has no openconfig-qos", from(sourceSONiC), buffer.Kinds()...)

	const db = "CONFIG_DB (origin sonic-db), sent by apply and written by render --dialect sonic: "
	p.elsewhere(db+"BUFFER_POOL, which needs a reload from release 202511 on", buffer.PoolShared, buffer.PoolHeadroom)
	p.elsewhere(db+"BUFFER_PROFILE size", buffer.GroupReserved)
	p.elsewhere(db+"BUFFER_PROFILE dynamic_th", buffer.GroupAlpha)
	p.elsewhere(db+"BUFFER_PROFILE static_th", buffer.GroupStatic)
	p.elsewhere("CONFIG_DB (origin sonic-db): BUFFER_PORT_INGRESS_PROFILE_LIST (not written)", buffer.PortMinimum)
	p.elsewhere(db+"BUFFER_PROFILE xoff", buffer.GroupHeadroom)
	p.elsewhere(db+"BUFFER_PROFILE xon_offset", buffer.GroupXONOffset)
	p.elsewhere(db+"PORT_QOS_MAP pfc_enable", buffer.GroupLossless)
	p.elsewhere(db+"BUFFER_QUEUE and BUFFER_PROFILE size, after the switch's own egress profile", buffer.QueueReserved)
	p.elsewhere(db+"WRED_PROFILE and QUEUE", marking...)
	p.elsewhere(db+"SCHEDULER and QUEUE", buffer.QueueWeight)
	p.elsewhere(db+"DSCP_TO_TC_MAP and PORT_QOS_MAP dscp_to_tc_map", buffer.PriorityDSCP)

	p.quirk(JSONOnly, 0, "values other than JSON_IETF are refused; "+
		"all paths of a Set are of one origin and one database", from(sourceSONiCgnm))
	p.quirk(PoolsRefused, 0, "the generic updater accepts whole profiles from release 202511 on, and refuses every "+
		"change of BUFFER_POOL from then on; before, it accepted size and xoff of ingress_lossless_pool; of the fields of "+
		"a profile it accepts dynamic_th and xoff, by chip and release", from(sourceUpdater))
	p.change(buffer.DisruptsSwitch, "a reload of the configuration restarts the forwarding plane", inferred(sourceUpdater),
		buffer.PoolShared, buffer.PoolHeadroom)
	p.change(buffer.DisruptsPort, "the generic updater shuts a port down while it changes the port's groups, queues, "+
		"maps or PFC", from(sourceSorter),
		buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic,
		buffer.GroupLossless, buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved,
		buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax, buffer.QueueWeight, buffer.PriorityDSCP)
	p.elsewhere("CONFIG_DB has one level of queues (sonic-scheduler.yang)", buffer.QueueClass, buffer.QueueShare,
		buffer.ClassBandwidth, buffer.ClassIdleSlope)
	return p.restDisruptsNothing()
}
