// Package fboss reads the configuration of FBOSS' agent, which is JSON of the thrift structure SwitchConfig, as an
// [audit.Reading]: the pools of bufferPoolConfigs, the priority groups of portPgConfigs, the PFC and the queues of each
// port, and the maps of qosPolicies:
//
//	reading, err := fboss.System.Read("agent.conf", data, audit.Chip{})
//	if err != nil {
//		return err
//	}
//	result := audit.Run(audit.Source{File: "agent.conf", Reading: reading})
//
// What the fields mean is that of FBOSS' sources (github.com/facebook/fboss, fboss/agent/switch_config.thrift,
// ApplyThriftConfig.cpp, hw/sai/switch/SaiBufferManager.cpp). The bytes of a pool are those of one of the chip's memory
// buffers, and the agent gives the chip the sum of the shared, the headroom and the reserved bytes times the number of
// buffers; so does this package. A priority has PFC if its group has headroom.
//
// An agent.conf has no cables: nothing is compared with light unless the caller gives a length.
package fboss

import (
	"github.com/cellwarden/cellwarden/nos"
)

// title is the name of the system in reports.
const title = "FBOSS"

// System is Meta's FBOSS, whose agent configuration is read.
var System = nos.System{Name: "fboss", Title: title, Read: read,
	Marks: nos.Marks{Members: []string{`"bufferPoolConfigs"`, `"portPgConfigs"`, `"portQueueConfigs"`,
		`"dataPlaneTrafficPolicy"`, `"switchIdToSwitchInfo"`, `"logicalID"`}}}
