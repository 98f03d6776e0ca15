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
