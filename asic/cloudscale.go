package asic

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
)

// cloudScale returns Cisco's chips of the Nexus 9000. Their memory is divided by ports, and no source says into how
// many slices. A chip here is therefore one slice: the user plans the ports of each slice apart.
func cloudScale() []buffer.Chip {
	const guide = "Cisco Nexus 9000 NX-OS QoS configuration guide, buffers of the FX2 (manualslib, p. 144)"
	return []buffer.Chip{nfe(), nexus93180YCFX(), cloudScalePart(buffer.Chip{
		Name: "cloudscale-fx2", Title: "Cisco Cloud Scale FX2, one slice",
		Slices:  same(1, 18*4096), // 18 banks of 4096 cells
		Sources: buffer.Sources{Cell: guide, Slices: guide},
		Notes: []string{
			"this is one slice of the chip; how many it has is not sourced: give only the ports of one slice",
			"6 of the 18 banks (24,576 cells) are reserved as minima by default, 12 (49,152 cells) are shared; `hardware qos " +
				"min-buffer` changes this, so nothing is charged for it: a switch with the default setting has less to give than " +
				"this plan",
		},
	}), cloudScaleUnknown("cloudscale-ls1800fx", "LS1800FX"), cloudScaleUnknown("cloudscale-gx", "GX")}
}

// nfe is the forwarding engine of the first Nexus 9300: a Trident 2. A chip of Cisco's beside it has more memory.
func nfe() buffer.Chip {
	return known(buffer.Chip{
		Name: "nfe", Title: "Cisco NFE of the first Nexus 9300 (a Broadcom Trident 2)", Cell: 208,
		Sources: buffer.Sources{Cell: "Cisco Nexus 9000 NX-OS 7.x QoS configuration guide (manualslib, p. 144)"},
		Notes: []string{
			"12 MB (the same guide; Cisco's Nexus 9300 white paper has 40 MB more in the ALE beside it): how many cells " +
				"Cisco's software uses is not sourced. trident2 has the numbers of Broadcom's own",
		},
	})
}

// nexus93180YCFX is one instance of a switch's memory, as the switch itself prints it.
func nexus93180YCFX() buffer.Chip {
	const text = "output of `show hardware internal buffer info pkt-stats input` on a Nexus 93180YC-FX (Cisco Press " +
		"text on PFC headroom, Example 7-3)"
	return cloudScalePart(buffer.Chip{
		Name: "nexus-93180yc-fx", Title: "Cisco Nexus 93180YC-FX, one instance of its memory",
		Slices: same(1, 25976), Sources: buffer.Sources{Cell: text, Slices: text + ": instance 0"},
		Notes: []string{
			"this is instance 0 of the switch; whether there are others is not sourced: give only the ports of one instance",
			"the 25,976 cells are the ingress cells that the switch has left with its default configuration",
		},
	})
}

// cloudScalePart completes a part of the memory of a chip: with the cell, and with what is assumed.
func cloudScalePart(c buffer.Chip) buffer.Chip {
	c.Cell, c.MinAlpha, c.MaxAlpha, c.Groups = 416, thresholds.MinAlpha, thresholds.MaxAlpha, 8
	c.Sources.Alpha, c.Sources.Groups = "assumed: any power of two is accepted", "assumed: 8, as on other chips"
	c.Notes = append(c.Notes,
		"packet overhead not sourced: 0 bytes assumed, so a frame that nearly fills its last cell of 416 bytes may take "+
			"one cell more",
		"the table of alphas is not sourced: any power of two is accepted; the number of groups is not sourced: 8 assumed",
		keepsNotSourced)
	return c
}

// cloudScaleUnknown is a chip for which no source has more than its name.
func cloudScaleUnknown(name, model string) buffer.Chip {
	return known(buffer.Chip{Name: name, Title: "Cisco Cloud Scale " + model, Notes: []string{
		"its memory is divided into slices of ports, as on every Cloud Scale chip; neither their size nor the cell is " +
			"sourced. That the cell is 416 bytes, as on the FX2, would be a guess",
	}})
}
