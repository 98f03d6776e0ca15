package nxos

import (
	"github.com/cellwarden/cellwarden/nos"
)

// title is the name of the system in reports.
const title = "NX-OS"

// System is Cisco NX-OS. No gNMI path for its buffers was found.
var System = nos.System{Name: "nxos", Title: title, Read: read, Render: render,
	Marks: nos.Marks{Line: nos.Begins("!Command: show running-config", "class-map type ",
		"policy-map type network-qos", "policy-map type queuing", "policy-map type qos", "system qos", "class type ",
		"service-policy type ", "priority-flow-control mode ", "feature ", "vdc ", "hardware qos ", "match qos-group ",
		"set qos-group ", "pause buffer-size", "pause pfc-cos", "pause no-drop")}}
