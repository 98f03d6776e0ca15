// Package nxos writes a plan as the running configuration of a Cisco Nexus 9000, and has the syslog message with which
// such a switch refuses a port whose buffers do not fit.
//
// The syntax is that of switches with a Cloud Scale ASIC in the eight-queue mode: Nexus 9300-EX, -FX, -FX2, -FX3, -GX
// and -GX2, and 9500 with such line cards. Its sources are Cisco's "Nexus 9000 Series NX-OS Quality of Service
// Configuration Guide", releases 7.x and 10.5(x), chapters "Configuring Priority Flow Control", "Configuring Network
// QoS" and "Configuring Queuing and Scheduling"; the ranges of priority level (1 to 8) and of bandwidth remaining
// percent (0 to 100) are those of Cisco's Terraform provider (CiscoDevNet/terraform-provider-nxos, queuing_qos.yaml).
// Package nos/nxos reads what this package writes. It was not tried on a switch, and nothing is sent to one. The
// chapters could be read in part: the list of switches above, the range of mtu and the unit of random-detect (bytes)
// are from general knowledge, and each rendering says so.
//
// # Priorities
//
// Priority n has the qos-group n, its queue is c-out-8q-qn, its buffer at the ingress c-in-qn, and c-8q-nqn says
// whether it is without drops; the default classes are those of priority 0. Packets come into a qos-group by their
// DSCPs where the plan has them, else by their 802.1p value.
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
