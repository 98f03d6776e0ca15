// Package qos translates between a [buffer.Layout] and the OpenConfig QoS model.
// It knows every leaf of the model that cellwarden reads or writes, and no
// connection: the client in package gnmi sends and receives.
//
// [Encode] writes a layout as OpenConfig, and [Decode] reads OpenConfig as a
// layout. A register that the model cannot express is refused. [Missing] lists
// these kinds of registers with the reason:
//
//	root, err := qos.Encode(layout, 208)
//
// Real switches implement a part of the model, each a different part.
// [CheckCompatibility] states for every register of a plan whether a kind of
// switch accepts it: sent as planned, sent as a rounded value, or not sent. A
// [Snapshot] is the QoS configuration that a switch reported. It computes the Set
// request that changes this configuration into the planned one.
package qos
