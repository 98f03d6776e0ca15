// Package junos reads the class of service of a Juniper QFX switch: forwarding classes, classifiers, congestion
// notification profiles, the partitions of the shared buffer, schedulers, and what interfaces have of these. The three
// forms of a configuration are the same: braces, set commands, and JSON:
//
//	reading, err := junos.System.Read("leaf1.conf", data, audit.Chip{})
//
// The grammar is that of Juniper's "Traffic Management User Guide (QFX Series and EX4600 Switches)" and of its command
// reference: class-of-service, forwarding-classes, congestion-notification-profile, buffer-partition (ingress, egress).
// The switch computes the headroom of a group from cable-length and mru, and divides its shared memory in percentages.
// How many bytes these are is not published, so that nothing is compared with a chip's memory.
package junos
