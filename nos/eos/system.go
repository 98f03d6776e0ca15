// Package eos is Arista EOS: it reads and writes configurations, and says what the switch takes over gNMI.
//
// # Reading
//
// It reads the running configuration of an Arista switch, as far as it is about buffers and QoS: PFC, queues
// and profiles of ports and port channels, qos maps, class maps and policy maps, and the memory of "platform trident
// mmu queue profile":
//
//	reading, err := eos.System.Read("leaf1.cfg", data, audit.Chip{})
//
// The grammar is that of Arista's "EOS User Guide", chapter "Quality of Service", and of the statements that the public
// collection github.com/aristanetworks/avd writes (templates eos/platform-trident.j2, eos/qos-profiles.j2,
// eos/qos.j2, eos/class-maps.j2, eos/policy-maps-qos.j2, eos/priority-flow-control.j2, eos/ethernet-interfaces.j2,
// eos/port-channel-interfaces.j2). The JSON of OpenConfig with Arista's augmentations is read too: it has the
// priorities without drops, and not whether PFC is on.
//
// The variables of that collection are read too, in YAML or JSON: platform.trident.mmu, wherever it is in a file. They
// have no ports, so that the headroom pool and the groups of the queue profile are checked and no cable is.
//
// Headroom without a unit is in bytes. The switch has a headroom of its own where no profile gives one; its size is not
// published.
//
// # Writing
//
// It writes a plan in Arista's augmentations of OpenConfig: the priorities that an interface does not drop. The shape
// of the document was accepted by the published model.
//
// priorities-no-drop has an effect only "when PFC is enabled on the interface" (arista-qos-augments). EOS enables it
// with priority-flow-control on, for which the published models of EOS 4.36.1F have no leaf that can be written. The
// second file has the command lines. cellwarden does not send them: what a Set of origin cli did cannot be read back as
// values.
//
// Headroom, alpha and the rest of a group have no leaf that can be written. EOS configures them on its command line
// (platform trident mmu), and shows them as state (experimental, /arista/pfc/profiles). The third file has these
// commands, in the form that github.com/aristanetworks/avd writes: the limit of the headroom pool, and a queue profile
// with the headroom, minima and thresholds of the groups. A profile is the same for all ports: what differs by port is
// named.
package eos

import (
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
)

// title is the name of the system in reports.
const title = "EOS"

// System is Arista EOS.
var System = nos.System{Name: "eos", Title: title, Read: read, Render: render, Profile: gnmiProfile,
	Tool: &avdTool,
	Marks: nos.Marks{Members: []string{`"arista-qos-augments:`, `"openconfig-qos:qos"`,
		`"headroom_pool"`, `"queue_profiles"`}, Line: isLine, Header: isHeader,
		Shared: rendering.Begins("class-map ", "policy-map ", "service-policy ", "priority-flow-control ")}}

// isHeader tells whether a line is one that EOS prints before its configuration: "! device: leaf1 (DCS-7060CX-32S,
// EOS-4.32.1F)", or that a collector of configurations writes there.
var isHeader = rendering.Begins("! device:", "! Command: show running-config", "! boot system",
	"!RANCID-CONTENT-TYPE: arista", "! RANCID-CONTENT-TYPE: arista")

// begins is the mark of lines of EOS by their first words.
var begins = rendering.Begins("! device:", "! Command: show running-config", "! boot system", "priority-flow-control "+
	"on", "no priority-flow-control on", "priority-flow-control all off", "priority-flow-control pause watchdog",
	"policy-map type quality-of-service", "service-profile ", "interface Port-Channel", "interface Management",
	"interface Vxlan", "vlan internal order", "match ip access-group ", "set traffic-class ", "random-detect ecn ",
	"platform trident ", "qos map ", "qos profile ", "tx-queue ", "uc-tx-queue ", "service routing protocols model",
	"daemon ", "transceiver qsfp default-mode", "ingress headroom ", "qos trust ", "headroom_pool:", "queue_profiles:",
	"active_profile:")

// priority is the mark of the priorities of PFC, which have a word of EOS alone behind them.
var priority = rendering.Begins("priority-flow-control priority ")

// isLine tells whether a line is of EOS alone.
func isLine(line string) bool {
	return begins(line) || priority(line) && slices.Contains(strings.Fields(line), "no-drop") ||
		strings.Contains(line, "trident") && variables([]byte(line))
}
