// Package intent turns a configuration that was audited into the intent of a topology: the same reading, as a file that
// can be planned, verified and rendered.
//
//	imported, err := intent.Of(audit.Run(source))
//	if err != nil {
//		return "", err
//	}
//	comments := topology.Comments{Path: imported.Sources, Ports: imported.PortSources}
//	written, err := topology.WriteCommented(imported.Intent, comments)
//
// The error is an [ErrUnknown] where the configuration does not say what every topology has, and says what to add. One
// thing is assumed: a chip whose cells are not known holds the pools, and [buffer.Chip.Assumed] tells so. What a
// topology cannot say, or says otherwise, is a [Difference] with the object, the file and the line. The plan of the
// intent is compared with what was read, group by group: what it grants otherwise is a difference too. An [Import]
// without differences has all pools, profiles, groups, queues, PFC, maps of DSCPs, marking and schedules that an audit
// reads.
//
// A topology counts a traffic class of SONiC as a priority: class n has queue n, and group n if it is lossless. The
// limits of ports (BUFFER_PORT_INGRESS_PROFILE_LIST and the one of the egress) are not read.
package intent
