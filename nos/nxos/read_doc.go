// Package nxos reads the running configuration of a Cisco Nexus switch, as far as it is about buffers and QoS: class
// maps and policy maps of type qos, network-qos and queuing, system qos, and what interfaces have of these and of PFC:
//
//	reading, err := nxos.System.Read("leaf1.cfg", data, audit.Chip{})
//
// The grammar is that of Cisco's "Nexus 9000 Series NX-OS Quality of Service Configuration Guide", releases 7.x and
// 10.5(x), chapters "Configuring Priority Flow Control", "Configuring Network QoS" and "Configuring Queuing and
// Scheduling". A class without drops is one of a network-qos policy with pause. Its headroom is what the buffer of its
// input queuing class has above the pause threshold; without such a class the switch gives it a headroom of its own,
// for cables up to 100 m, whose size is not published.
package nxos
