// Package srlinux is Nokia SR Linux: it says what the switch takes over gNMI, and writes a plan in srl_nokia-qos, the
// native model of Nokia SR Linux 25.3: PFC queues, the mapping profiles that generate PFC frames, buffer allocation
// profiles with the part that PFC reserves, and PFC on interfaces. The shape of the document was accepted by the
// published model with all features of the platform enabled.
//
// # The two directions of PFC
//
// pfc-enable of an interface is the reaction to PFC frames that it receives. It generates none. Frames are generated
// for the priority that a pfc-mapping-profile gives to a PFC queue (received-traffic, unicast-mapping). So each port
// has a profile that maps 802.1p value n to queue pfcn, and queue pfcn to PFC frames of priority n. The switch has the
// queues pfc0 to pfc7 by itself, each with the index of its name, which the model does not let be changed.
//
// Untagged packets on routed interfaces go to a PFC queue by their forwarding class. The names of forwarding classes
// are the operator's, and so are those of the egress queues that react to received frames (received-pfc-pause-frames).
// They are not written, and a rendering lists them among the omitted values.
//
// # Headroom
//
// maximum-pfc-reserved-share-bytes is the largest part that a PFC queue may take of the memory that a forwarding
// complex reserves for "incoming traffic while upstream node reacts to generated PFC-pause frames"
// (pfc-buffer-reservation). It is written. The reservation itself is a percentage, 1 unless it is configured, of a
// memory whose size is not published. It is not written, so the headroom is not expressed. A rendering says how many
// bytes it has to be; the switch shows how many it is (pfc-reserved-buffer-size).
package srlinux

import (
	"github.com/cellwarden/cellwarden/nos"
)

// System is Nokia SR Linux. Its configuration is not read. It names its product in srl_nokia-platform-chassis and its
// ports in srl_nokia-interfaces; paths without an origin belong to the native model.
var System = nos.System{Name: "srlinux", Title: "SR Linux", Render: render, Profile: gnmiProfile,
	Identity: &nos.Identity{Product: []nos.Elem{{Name: "platform"}, {Name: "chassis"}, {Name: "type"}},
		Ports: []nos.Elem{{Name: "interface", Key: "name", Value: "*"}, {Name: "name"}}, List: "interface"}}
