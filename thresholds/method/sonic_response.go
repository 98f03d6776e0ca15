package method

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// sonicQuanta are the pause quanta, 64 bytes each, for which a sender may go on, by speed (sonic-swss,
// cfgmgr/buffer_headroom_mellanox.lua, which names IEEE 802.3 31B.3.7). Barefoot's plug-in has all except the last.
var sonicQuanta = [...]struct{ mbps, quanta int64 }{
	{100, 1}, {1_000, 2}, {10_000, 67}, {25_000, 80}, {40_000, 118}, {50_000, 147},
	{100_000, 394}, {200_000, 453}, {400_000, 905}, {sonic800G, 905},
}

const (
	sonic400G       = 400_000 // Mb/s
	sonic800G       = 800_000
	sonicQuanta800G = 2 * 905 // corrected; what gives SONiC's tables lies between 1805 and 1814

	sonicQuantumBytes = pfc.QuantumBits / 8
)

// sonicResponse is what the sender still sends, in bytes, and the source of this value.
type sonicResponse struct {
	bytes exact.Ratio
	how   sonicHow
	slip  sonicSlip
}

// sonicHow is the source of a response.
type sonicHow int

const (
	sonicFromQuanta sonicHow = iota // the plug-in's table
	sonicFromChip                   // the chip's constant
	sonicDoubled                    // Barefoot's 400G
	sonicAs800G                     // corrected 800G
	sonicBetween                    // corrected: interpolated between two speeds with quanta
	sonicBeyond                     // corrected: above 800G
	sonicOfLink                     // given for the link's sender, which SONiC does not have
)

// sonicSlip is a set of slips.
type sonicSlip uint8

const (
	sonicSlip800G sonicSlip = 1 << iota
	sonicSlipUnknown
	sonicSlipGearbox
	sonicSlipCable
)

// responseOf returns the response of a link's sender: its own, which SONiC cannot be given, or that of the speed.
func (m SONiC) responseOf(l thresholds.Link, mbps int64) sonicResponse {
	if t, given := l.Response.Get(); given {
		return sonicResponse{sonicOver(t, mbps, int64(unit.Nanosecond)*8000), sonicOfLink, 0}
	}
	return m.response(mbps)
}

// response returns the peer's response at a speed in Mb/s.
func (m SONiC) response(mbps int64) sonicResponse {
	if m.Variant == SONiCOlder && !m.Chip.NewTables {
		return sonicResponse{m.Chip.PeerResponse.bytes(), sonicFromChip, 0}
	}
	quanta, known := m.quanta(mbps)
	switch {
	case known && mbps == sonic800G && m.Corrected:
		return sonicResponse{sonicQuantaBytes(sonicQuanta800G), sonicAs800G, 0}
	case known && mbps == sonic800G:
		return sonicResponse{sonicQuantaBytes(quanta), sonicFromQuanta, sonicSlip800G}
	case known && mbps == sonic400G && m.Variant == SONiCBarefoot:
		return sonicResponse{sonicQuantaBytes(2 * quanta), sonicDoubled, 0}
	case known:
		return sonicResponse{sonicQuantaBytes(quanta), sonicFromQuanta, 0}
	case m.Corrected:
		return sonicInferResponse(mbps)
	}
	return sonicResponse{m.Chip.PeerResponse.bytes(), sonicFromChip, sonicSlipUnknown}
}

// quanta returns the pause quanta of a speed. With Corrected, Barefoot's plug-in has those of 800G too.
func (m SONiC) quanta(mbps int64) (int64, bool) {
	if mbps == sonic800G && m.Variant == SONiCBarefoot && !m.Corrected {
		return 0, false
	}
	for _, q := range sonicQuanta {
		if q.mbps == mbps {
			return q.quanta, true
		}
	}
	return 0, false
}

// sonicQuantaBytes converts pause quanta to bytes.
func sonicQuantaBytes(n int64) exact.Ratio { return sonicOver(n, sonicQuantumBytes, 1) }

// sonicInferResponse returns the response of a speed without quanta: interpolated between its neighbours, or for as
// long a time as at 800G. It does not decrease with the speed.
func sonicInferResponse(mbps int64) sonicResponse {
	if mbps > sonic800G {
		return sonicResponse{sonicOver(mbps, sonicQuanta800G*sonicQuantumBytes, sonic800G), sonicBeyond, 0}
	}
	below := sonicQuanta[0]
	for _, q := range sonicQuanta {
		if q.mbps == sonic800G {
			q.quanta = sonicQuanta800G
		}
		if q.mbps > mbps {
			rise, over := (q.quanta-below.quanta)*sonicQuantumBytes, max(q.mbps-below.mbps, 1)
			return sonicResponse{sonicQuantaBytes(below.quanta).Plus(sonicOver(max(mbps-below.mbps, 0), rise, over)),
				sonicBetween, 0}
		}
		below = q
	}
	panic("thresholds: a speed neither up to 800G nor above it")
}

// source returns the source of the response.
func (r sonicResponse) source(m SONiC, rate unit.BitRate) (thresholds.SourceKind, string) {
	quanta := r.bytes.Times(1, sonicQuantumBytes).Ceil()
	switch r.how {
	case sonicFromChip:
		text := fmt.Sprintf("peer_response_time %v of %s (%s)", m.Chip.PeerResponse, m.Chip.Name, m.Chip.Source)
		if m.Variant == SONiCOlder && !m.Chip.NewTables {
			text += ", at every speed: inferred from the tables"
		}
		return thresholds.Driver, text
	case sonicOfLink:
		return thresholds.Operator,
			"given for the sender of this link, in place of the speed's pause quanta: an option that SONiC does not have"
	case sonicDoubled:
		return thresholds.Driver, fmt.Sprintf(
			"twice %d pause quanta of 64 bytes at %v, a speed that this plug-in alone doubles (%s)", quanta/2, rate,
			m.plugin())
	case sonicAs800G:
		return thresholds.Inferred, fmt.Sprintf("%d pause quanta of 64 bytes at 800G, twice those of 400G: inferred from "+
			"SONiC's tables of Spectrum-6; the plug-in has 905", quanta)
	case sonicBetween:
		return thresholds.Inferred, fmt.Sprintf(
			"%d pause quanta of 64 bytes, interpolated between the neighbours of %v, for which the plug-in has none",
			quanta, rate)
	case sonicBeyond:
		return thresholds.Inferred, fmt.Sprintf(
			"%d pause quanta of 64 bytes, as long in time as 1810 at 800G; the plug-in has none for %v", quanta, rate)
	}
	return thresholds.Driver, fmt.Sprintf("%d pause quanta of 64 bytes at %v (pause_quanta_per_speed, %s)", quanta,
		rate, m.plugin())
}
