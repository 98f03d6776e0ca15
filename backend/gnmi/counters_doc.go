// Package gnmi reads what a switch has counted, over gNMI, as a sample of package diagnosis.
//
// A SONiC switch is asked for the tables of names of its COUNTERS_DB (sonic-gnmi 5ec1c20b, db_client.go), and then for
// the ports, groups, queues and headroom pools of the plan by the ids that these tables give. The virtual paths of that
// server (virtual_db.go: COUNTERS/Ethernet*, PERIODIC_WATERMARKS/Ethernet*/PriorityGroups) are not used: they answer
// with the vendor's alias of a port, which can be the name of another port, and with the ids of the time at which the
// server began.
//
// Every other switch is asked for OpenConfig's counters. Of these only the simulated switch counts for
// priority groups: its input queue n is group n, which is cellwarden's convention. OpenConfig has one watermark
// for all that a queue holds, and counts pause frames by port.
//
// What a switch does not have is absent in the sample, and why is among the reasons that [Read] returns.
package gnmi
