// Package nxos is Cisco NX-OS: it reads the running configuration of a Nexus switch, and writes a plan as one of a
// Nexus 9000.
//
// # Reading
//
// What is about buffers and QoS is read: class maps and policy maps of type qos, network-qos and queuing, system qos,
// and what ports and port channels have of these and of PFC. A statement counts as read if its last word was:
//
//	reading, err := nxos.System.Read("leaf1.cfg", data, audit.Chip{})
//
// A class without drops is one of a network-qos policy with pause. Its headroom is what the buffer of its input queuing
// class has above the pause threshold; without such a class the switch gives it a headroom of its own, for cables up to
// 100 m, whose size is not published.
//
// # Writing
//
// The syntax is that of switches with a Cloud Scale ASIC in the eight-queue mode: Nexus 9300-EX, -FX, -FX2, -FX3, -GX
// and -GX2, and 9500 with such line cards. Its sources are Cisco's "Nexus 9000 Series NX-OS Quality of Service
// Configuration Guide", releases 7.x and 10.5(x), chapters "Configuring Priority Flow Control", "Configuring Network
// QoS" and "Configuring Queuing and Scheduling"; the ranges of priority level (1 to 8) and of bandwidth remaining
// percent (0 to 100) are those of Cisco's Terraform provider (CiscoDevNet/terraform-provider-nxos, queuing_qos.yaml).
// What is written can be read. It was not tried on a switch, and nothing is sent to one. The
// chapters could be read in part: the list of switches above, the range of mtu and the unit of random-detect (bytes)
// are from general knowledge, and each rendering says so.
//
// # Priorities
//
// Priority n has the qos-group n, its queue is c-out-8q-qn, its buffer at the ingress c-in-qn, and c-8q-nqn says
// whether it is without drops; the default classes are those of priority 0. Packets come into a qos-group by their
// DSCPs where the plan has them, else by their 802.1p value. The classes of DSCPs come first, since the first class
// that matches decides. A lossless priority without a DSCP is no success, unless the ports trust the tag (trust: pcp).
//
// # Buffers
//
// A class without drops has a buffer of its own at each port, of a fixed size. It is paused at pause-threshold, and
// what is above that is its headroom. So pause-threshold is the minimum of the group and its static limit, and
// buffer-size that and the headroom. A limit that follows the free cells (alpha) and a shared pool of headroom have no
// statement. Where the plan has either, [System] plans the ports again with the buffers that this configuration
// reserves, and the rendering says if they do not fit.
//
// # Bandwidth
//
// Queues have one level: whole percents of what the strict queues leave. With groups (ETS) each queue gets its share of
// its group's, and the rendering states what the rounding makes of it.
package nxos

import (
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
)

// title is the name of the system in reports.
const title = "NX-OS"

// System is Cisco NX-OS. No gNMI path for its buffers was found.
var System = nos.System{Name: "nxos", Title: title, Read: read, Render: render,
	Marks: nos.Marks{Header: rendering.Begins("!Command: show running-config", "!Running configuration last done",
		"!RANCID-CONTENT-TYPE: cisco-nx"),
		Line: rendering.Begins("policy-map type network-qos", "policy-map type queuing", "class-map type network-qos",
			"class-map type queuing", "class-map type qos match-all", "class type ", "service-policy type network-qos",
			"service-policy type queuing", "system qos", "priority-flow-control mode ", "feature ", "vdc ", "hardware qos ",
			"hardware profile pfc ", "match qos-group ", "set qos-group ", "pause buffer-size", "pause pfc-cos", "pause no-drop",
			"priority-flow-control receive", "priority-flow-control send", "interface mgmt0", "interface nve", "vrf context ",
			"boot nxos "),
		Shared: rendering.Begins("class-map ", "policy-map ", "service-policy ", "priority-flow-control ")}}
