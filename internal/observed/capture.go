package observed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/pcap"
	"github.com/cellwarden/cellwarden/pfc"
)

// Capture refuses a capture that has more packets, or more ports that send LLDP. A link has two ports, which send a
// million frames of LLDP in 170 days.
const (
	MaxPackets = 1000000
	MaxPorts   = 4096
)

// Sender is a port that sends LLDP in a capture.
type Sender struct {
	Name    dcbx.Neighbour
	Address pfc.Address
	PDU     dcbx.PDU // of its last frame
	Frames  int
}

// Heard is what a capture has of LLDP.
type Heard struct {
	Senders []Sender // in the order in which they are heard first
	Packets int      // of any kind
	// Refused is the mistake in the first frame that has LLDP's ethertype and is not LLDP, or nil.
	Refused      error
	RefusedCount int
}

// Capture reads a capture of Ethernet, pcap or pcapng. A compressed one is refused: its length does not tell what it
// becomes. Packets of other protocols are counted and not looked at.
func Capture(data []byte) (*Heard, error) {
	r, err := pcap.NewReader(data)
	if err != nil {
		return nil, fmt.Errorf("no capture that can be read (want pcap and pcapng, of Ethernet): %w", err)
	}
	h, index := &Heard{}, map[dcbx.Neighbour]int{}
	for {
		packet, err := r.Next()
		if errors.Is(err, io.EOF) {
			return h, nil
		}
		if err != nil {
			return nil, fmt.Errorf("packet %d: %w", h.Packets+1, err)
		}
		if h.Packets++; h.Packets > MaxPackets {
			return nil, fmt.Errorf("more packets than are want %d", MaxPackets)
		}
		if !isLLDP(packet) {
			continue
		}
		f, err := dcbx.DecodeFrame(packet)
		if err != nil {
			if h.RefusedCount++; h.Refused == nil {
				h.Refused = fmt.Errorf("packet %d: %w", h.Packets, err)
			}
			continue
		}
		if f.Destination != dcbx.NearestBridge { // DCBX is between neighbours alone
			continue
		}
		name := f.PDU.Sender()
		i, known := index[name]
		if !known {
			if i = len(h.Senders); i == MaxPorts {
				return nil, fmt.Errorf("more ports that send LLDP than are want %d", MaxPorts)
			}
			index[name], h.Senders = i, append(h.Senders, Sender{Name: name})
		}
		s := &h.Senders[i]
		s.Address, s.PDU = f.Source, f.PDU
		s.Frames++
	}
}

// isLLDP tells whether a packet has LLDP's ethertype, behind at most one VLAN tag.
func isLLDP(packet []byte) bool {
	at := 12
	if len(packet) >= 18 && binary.BigEndian.Uint16(packet[at:]) == 0x8100 {
		at = 16
	}
	return len(packet) >= at+2 && binary.BigEndian.Uint16(packet[at:]) == dcbx.EtherType
}
