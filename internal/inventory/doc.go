// Package inventory reads which ports a switch has, and their cables, from what others keep of it: CSV of NetBox, and
// the neighbours that the switch hears by LLDP (lldpcli).
//
// [NetBox] reads two lists, told apart by their first line: cables (side_a_device, side_a_name, side_b_device,
// side_b_name, length, length_unit), and interfaces (device, name, type, speed). [Neighbours] makes ports of LLDP.
// [Join] joins lists: a port is in all of them that are about ports or cables.
//
// What a list does not say is not made up: a port has no speed, or no cable, until the caller gives one. Inputs are of
// another author: they are bounded, and what cannot be read is an error that says where.
package inventory
