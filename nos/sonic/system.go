// Package sonic is community SONiC: it reads CONFIG_DB for an audit, and writes a plan as CONFIG_DB: BUFFER_POOL,
// BUFFER_PROFILE, BUFFER_PG, BUFFER_QUEUE, CABLE_LENGTH, PORT_QOS_MAP, TC_TO_PRIORITY_GROUP_MAP, DSCP_TO_TC_MAP,
// SCHEDULER, WRED_PROFILE and QUEUE. Its YANG form was accepted by sonic-yang-models (sonic-buildimage 086b03bd).
//
// # What a switch takes while it runs
//
// A SONiC switch changes its configuration with the generic configuration updater (config apply-patch, or a gNMI Set
// with origin sonic-db). The updater refuses some changes by table, field, chip and release. [Options.Render] sorts the
// changes by the updater's rules into those that can be made now and those that need a reload of the configuration.
// [Options] say what is known of the switch: the chip, the release, and its current configuration. Where something is
// not known, it assumes the worst: a profile may exist already with other content, and the release may refuse it.
//
// The updater takes a port down while it changes the port's groups, queues or PFC, and
// up again. So a change that can be made now is not free of loss.
//
// A change that depends on one that needs a reload waits with it: groups and queues
// wait for their profiles, a port's PFC and cable for its lossless groups.
//
// # What the switch writes itself
//
// SONiC's buffer manager acts on CONFIG_DB, and the traditional one writes into it. What is
// written is what the manager of the switch ([Model]) leaves as it is.
//
// The traditional manager binds the lossless groups of a port to a profile pg_lossless_<speed>_<cable>_profile: at
// boot, and when the port comes up. It creates this profile from its table if the port has none. Where all ports of a
// speed and cable need the same profile, the plan's profile has this name, and both agree. Other ports get profiles of
// cellwarden's own and CABLE_LENGTH 0m, with which the manager leaves their groups alone. On NVIDIA's chips this also
// holds for ports without a row in the switch's table, because the manager deletes their groups when they go down.
//
// The dynamic manager computes headroom and pools. The plan's profiles override its headroom, under names of
// cellwarden's own. A pool gets no size: with one the manager would not compute it.
//
// # The sizes of pools
//
// [PoolInputsOf] computes the size that SONiC's dynamic buffer manager gives its pools,
// which is a remainder that may be negative.
package sonic

import (
	"github.com/cellwarden/cellwarden/nos"
)

// System is community SONiC. A switch that can be asked is rendered for by [Options].
var System = nos.System{Name: "sonic", Title: title, Read: read, Render: Options{}.Render, Profile: gnmiProfile}
