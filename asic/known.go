package asic

import "github.com/cellwarden/cellwarden/buffer"

// The chips of this file, and those of dnx.go and siliconone.go, cannot be planned with: no public source says how many
// cells they have in which slices. They are in the catalogue all the same, because a user with a better source can
// complete such a chip, and because other numbers of it, such as its cell, are enough to size a headroom.

// notPlannable begins the notes of a chip whose cells are not sourced.
const notPlannable = "cannot be planned with: how many cells it has, in which slices, is not sourced; complete what " +
	"`cellwarden asic show NAME -o json` prints, and give that chip file"

const groupsOfSONiC = "inferred: SONiC configures groups 0 to 7 on every chip"

// known completes a chip that has no slices: with the note that says so, and with an empty list in place of nil, so
// that its JSON has the key that a user must fill in.
func known(c buffer.Chip) buffer.Chip {
	c.Slices = []buffer.Slice{}
	c.Notes = append([]string{notPlannable}, c.Notes...)
	return c
}

// marvell returns Marvell's data-center chips, Innovium's among them.
func marvell() []buffer.Chip {
	return []buffer.Chip{
		known(buffer.Chip{
			Name: "teralynx7", Title: "Marvell Teralynx 7", Groups: 8, Sources: buffer.Sources{Groups: groupsOfSONiC},
			Notes: []string{
				"SONiC device/supermicro (SSE-T7132S) configures one egress pool of 70,565,632 bytes, and two ingress pools: " +
					"51,691,264 bytes, 17,708,800 of them shared headroom, and 18,874,368 bytes for lossy traffic. That is a " +
					"configuration, and may be less than the chip has",
				"cell not sourced",
			},
		}),
		known(buffer.Chip{
			Name: "teralynx10", Title: "Marvell Teralynx 10", Groups: 8, Sources: buffer.Sources{Groups: groupsOfSONiC},
			Notes: []string{
				"SONiC device/marvell (MVTX9180) configures 215,646,208 bytes in all; its lossless pool is 159,633,822 bytes, of " +
					"which 72,581,120 are shared headroom",
				"cell not sourced",
			},
		}),
		known(buffer.Chip{
			Name: "falcon", Title: "Marvell Falcon 98CX8580",
			Notes: []string{"SONiC device/marvell configures 23,000,000 bytes", "cell not sourced"},
		}),
	}
}

// tofino returns Intel's programmable chips, formerly Barefoot's.
func tofino() []buffer.Chip {
	return []buffer.Chip{
		known(buffer.Chip{
			Name: "tofino1", Title: "Intel Tofino", Groups: 8, Sources: buffer.Sources{Groups: groupsOfSONiC},
			Notes: []string{
				"SONiC device/barefoot configures an egress pool of 16,777,152 bytes, and two ingress pools: 4,194,304 bytes " +
					"lossless, 7,340,032 bytes lossy. That is a configuration, and may be less than the chip has",
				"cell not sourced",
			},
		}),
		known(buffer.Chip{
			Name: "tofino2", Title: "Intel Tofino 2", Cell: 176, Groups: 8,
			Sources: buffer.Sources{Cell: "SONiC platform/barefoot/asic_table.j2", Groups: groupsOfSONiC},
			Notes: []string{
				"SONiC device/barefoot configures two egress pools, of 46,749,824 and 2,463,824 bytes, and two ingress pools: " +
					"43,067,728 bytes lossless, 3,520,000 bytes lossy. That is a configuration, and may be less than the chip has",
			},
		}),
	}
}
