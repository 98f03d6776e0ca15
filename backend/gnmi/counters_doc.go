// Package gnmi reads what a switch has counted, over gNMI, as a sample of package diagnosis.
//
// A SONiC switch is asked for its COUNTERS_DB by the virtual paths of sonic-gnmi (5ec1c20b, virtual_db.go):
// COUNTERS/Ethernet* has the PFC frames and bytes of ports, PERIODIC_WATERMARKS/Ethernet*/PriorityGroups the watermarks
// of groups, and the tables of names the ids with which the drops of groups and the watermark of the
// headroom pool are read.
//
// Every other switch is asked for OpenConfig's counters. Of these only the simulated switch counts for
// priority groups: its input queue n is group n, which is cellwarden's convention. OpenConfig has one watermark
// for all that a queue holds, and counts pause frames by port.
//
// What a switch does not have is absent in the sample, and why is among the reasons that [Read] returns.
package gnmi
