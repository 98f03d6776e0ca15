// Package junos is Juniper Junos: it reads and writes configurations, and says what the switch takes over gNMI.
//
// # Reading
//
// It reads the class of service of a Juniper QFX switch: forwarding classes, classifiers, congestion
// notification profiles, the partitions of the shared buffer, schedulers, and what interfaces have of these. The three
// forms of a configuration are the same: braces, set commands, and JSON:
//
//	reading, err := junos.System.Read("leaf1.conf", data, audit.Chip{})
//
// The grammar is that of Juniper's "Traffic Management User Guide (QFX Series and EX4600 Switches)" and of its command
// reference: class-of-service, forwarding-classes, congestion-notification-profile, buffer-partition (ingress, egress).
// The switch computes the headroom of a group from cable-length and mru, and divides its shared memory in percentages.
// How many bytes these are is not published, so that nothing is compared with a chip's memory.
//
// # Writing
//
// It writes a plan as congestion notification profiles, the native model of Juniper QFX (Junos 24.4R1). The shape of
// the document was accepted by the published model.
//
// # Tagged and untagged packets
//
// A congestion notification profile applies PFC to packets by their 802.1p value, or by their DSCP for packets without
// a VLAN tag, but not by both in one profile (Juniper CLI reference, congestion-notification-profile). RoCEv2 on routed
// ports has no tag. So where a plan says the DSCPs of its lossless priorities, the profile's input is keyed to them.
// The PFC frames then have the pfc-priority of the forwarding class, and a DSCP classifier puts the packets into that
// class. The output, which is the reaction to received PFC frames, is keyed to the priority in both forms.
//
// # Headroom
//
// A Junos switch computes the headroom itself, from the length of the cable and the longest frame of each priority
// (Juniper traffic management guide for QFX). So these two are written and the plan's headroom is not: the switch's own
// result may differ. See cellwarden headroom --method juniper.
//
// # Rendered only
//
// cellwarden does not send this configuration: no published document was found that says
// which origin a gNMI Set of Junos' native model has.
package junos

import (
	"strings"

	"github.com/cellwarden/cellwarden/internal/statements"
	"github.com/cellwarden/cellwarden/nos"
)

// title is the name of the system in reports.
const title = "Junos"

// System is Juniper Junos on QFX switches.
var System = nos.System{Name: "junos", Title: title, Read: read, Render: render, Profile: gnmiProfile,
	Marks: nos.Marks{Members: []string{`:class-of-service"`, `"class-of-service"`}, Line: isLine, Header: isHeader}}

// isHeader tells whether a line is one that comes before a configuration of Junos: the state of the routing engine,
// which a terminal prints, or when the last change was.
func isHeader(line string) bool {
	begins := strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[edit")
	return begins && statements.IsPrompt(line) || strings.HasPrefix(line, "## Last c")
}

// isLine tells whether a line is of Junos alone: a statement in braces, or one of the form with set.
func isLine(line string) bool {
	text := strings.Join(strings.Fields(line), " ")
	if strings.HasSuffix(text, ";") || strings.HasSuffix(text, "{") && !strings.HasPrefix(text, "!") {
		return true
	}
	for _, begin := range []string{"set class-of-service ", "set system host-name", "## Last ", "set version",
		"set interfaces ", "set groups ", "set chassis "} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}
