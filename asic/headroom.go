package asic

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// at is one speed's headroom: Gbit/s, and cells.
type at struct {
	gbps                     int64
	lineRate, oversubscribed cells.Count
}

// gigabits is the headroom that Broadcom's software gives a lossless group by default, in cells of the chip, by
// speed: of a port at line rate, and of an oversubscribed one. It depends on the speed alone, not on the cable or the
// longest packet, so nothing is planned with it: it is here to be compared with what a method computes.
func gigabits(rows ...at) []buffer.HeadroomDefault {
	return grouped.Each(rows, func(r at) buffer.HeadroomDefault {
		return buffer.HeadroomDefault{Speed: unit.BitRate(r.gbps) * unit.Gbps, LineRate: r.lineRate,
			Oversubscribed: r.oversubscribed}
	})
}
