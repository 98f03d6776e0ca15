// Package hwsku writes a plan as the files of a folder of a switch in SONiC's tree, as a pull request for
// sonic-buildimage wants them: buffers.json.j2 with buffers_defaults_t0.j2 and others, qos.json.j2 and
// pg_profile_lookup.ini. sonic-cfggen renders them to the CONFIG_DB of the plan. The templates compute the pools from
// the ports of PORT, so that a breakout changes them.
//
// The templates define macros that SONiC's own templates call (sonic-buildimage 086b03bd, files/build_templates:
// buffers_config.j2 and qos_config.j2). What a plan does not have, such as the pools of the egress, is that of a
// configuration that is given, else what SONiC's own templates write.
//
// A port has a role by its number: its cable, its groups, its queues and its maps. The ports into which a breakout
// divides a port have the role of that port, because their numbers are between it and the next one.
package hwsku
