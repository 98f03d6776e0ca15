// Package observed reads what ports were observed to send by LLDP: packet captures (pcap and pcapng), and the JSON of
// lldpd's client, lldpcli.
//
// [Capture] returns each port that sends LLDP in a capture, with its last frame. [Neighbours] returns what each
// interface of a machine hears, from `lldpcli -f json show neighbors details`; lldpd does not know DCBX, and lists its
// TLVs as unknown ones with their bytes, from which the LLDPDU is made again.
//
// Inputs are of another author: they are bounded, and what cannot be read is an error that says where.
package observed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/cellwarden/cellwarden/dcbx"
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

// packets reads one packet after another.
type packets interface {
	ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error)
	LinkType() layers.LinkType
}

// Capture reads a capture of Ethernet, pcap or pcapng. A compressed one is refused: its length does not tell what it
// becomes. Packets of other protocols are counted and not looked at.
func Capture(data []byte) (*Heard, error) {
	r, err := open(data)
	if err != nil {
		return nil, fmt.Errorf("no capture that can be read (want pcap and pcapng, of Ethernet): %w", err)
	}
	if r.LinkType() != layers.LinkTypeEthernet {
		return nil, fmt.Errorf("a capture of link type %v (want Ethernet)", r.LinkType())
	}
	h, index := &Heard{}, map[dcbx.Neighbour]int{}
	for {
		packet, _, err := r.ZeroCopyReadPacketData()
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

// open returns a reader of packets.
func open(data []byte) (packets, error) {
	const sectionHeader = 0x0a0d0d0a // the first block of pcapng
	if len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b {
		return nil, errors.New("it is compressed: decompress it first")
	}
	if len(data) >= 4 && binary.BigEndian.Uint32(data) == sectionHeader {
		return pcapgo.NewNgReader(bytes.NewReader(data), pcapgo.DefaultNgReaderOptions)
	}
	return pcapgo.NewReader(bytes.NewReader(data))
}

// isLLDP tells whether a packet has LLDP's ethertype, behind at most one VLAN tag.
func isLLDP(packet []byte) bool {
	at := 12
	if len(packet) >= 18 && binary.BigEndian.Uint16(packet[at:]) == 0x8100 {
		at = 16
	}
	return len(packet) >= at+2 && binary.BigEndian.Uint16(packet[at:]) == dcbx.EtherType
}
