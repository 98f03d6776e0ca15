package asic

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// The headroom that Broadcom's software gives a lossless group by default, in cells of the chip, by speed: of a port at
// line rate, and of an oversubscribed one. It depends on the speed alone, not on the cable or the longest packet, so
// nothing is planned with it: it is here to be compared with what a method computes.

func trident2Headroom() []buffer.HeadroomDefault {
	return gigabits(at{10, 162, 182}, at{20, 183, 262}, at{40, 284, 461}, at{100, 558, 0})
}

func tomahawkHeadroom() []buffer.HeadroomDefault {
	return gigabits(at{10, 166, 189}, at{25, 194, 217}, at{40, 286, 340}, at{50, 304, 358}, at{100, 519, 648})
}

func tomahawk2Headroom() []buffer.HeadroomDefault {
	return gigabits(at{10, 166, 199}, at{25, 194, 227}, at{40, 280, 361}, at{50, 298, 379}, at{100, 507, 699})
}

func trident3Headroom() []buffer.HeadroomDefault {
	return gigabits(at{10, 160, 194}, at{20, 197, 231}, at{25, 254, 288}, at{40, 274, 355}, at{50, 351, 432},
		at{100, 574, 768})
}

func tomahawk3Headroom() []buffer.HeadroomDefault {
	return gigabits(at{10, 167, 248}, at{25, 256, 337}, at{40, 360, 441}, at{50, 360, 441},
		at{100, 580, 772}, at{200, 1061, 1445}, at{400, 1962, 2730})
}

func tomahawk4Headroom() []buffer.HeadroomDefault {
	return gigabits(at{10, 173, 254}, at{25, 262, 343}, at{40, 366, 447}, at{50, 366, 447},
		at{100, 585, 779}, at{200, 1071, 1455}, at{400, 1982, 2750})
}

// at is one speed's headroom: Gbit/s, and cells.
type at struct {
	gbps                     int64
	lineRate, oversubscribed cells.Count
}

func gigabits(rows ...at) []buffer.HeadroomDefault {
	all := make([]buffer.HeadroomDefault, len(rows))
	for i, r := range rows {
		speed := unit.BitRate(r.gbps) * unit.Gbps
		all[i] = buffer.HeadroomDefault{Speed: speed, LineRate: r.lineRate, Oversubscribed: r.oversubscribed}
	}
	return all
}
