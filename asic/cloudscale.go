package asic

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
)

// cloudScale returns Cisco's chips of the Nexus 9000. Their memory is divided
// by ports: what is described here is one slice, and the ports of each slice
// are planned apart.
func cloudScale() []buffer.Chip {
	const guide = "Cisco Nexus 9000 NX-OS QoS configuration guide, buffers of the FX2 (manualslib, p. 144)"
	return []buffer.Chip{{
		Name: "cloudscale-fx2", Title: "Cisco Cloud Scale FX2, one slice",
		Cell: 416, Slices: same(1, 18*4096), // 18 banks of 4096 cells
		MinAlpha: thresholds.MinAlpha, MaxAlpha: thresholds.MaxAlpha, Groups: 8,
		Sources: buffer.Sources{Cell: guide, Slices: guide},
		Notes: []string{
			"this is one slice of the chip; how many it has is not sourced: give only the ports of one slice",
			"6 of the 18 banks (24,576 cells) are reserved as minima by default, 12 (49,152 cells) are shared; `hardware qos min-buffer` changes this, so nothing is charged for it: a switch with the default setting has less to give than this plan",
			"packet overhead not sourced: 0 bytes assumed, so a frame that nearly fills its last cell of 416 bytes may take one cell more",
			"the table of alphas is not sourced: any power of two is accepted; the number of groups is not sourced: 8 assumed",
			keepsNotSourced,
		},
	}}
}
