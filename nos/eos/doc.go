// Package eos reads the running configuration of an Arista switch, as far as it is about buffers and QoS: PFC, queues
// and profiles of interfaces, qos maps, and the memory of "platform trident mmu queue profile":
//
//	reading, err := eos.System.Read("leaf1.cfg", data, audit.Chip{})
//
// The grammar is that of Arista's "EOS User Guide", chapter "Quality of Service", and of the statements that the public
// collection github.com/aristanetworks/avd writes (templates eos/platform-trident.j2, eos/qos-profiles.j2,
// eos/qos.j2, eos/ethernet-interfaces.j2). The JSON of OpenConfig with Arista's augmentations is read too: it has the
// priorities without drops, and not whether PFC is on.
//
// Headroom without a unit is in bytes. The switch has a headroom of its own where no profile gives one; its size is not
// published.
package eos
