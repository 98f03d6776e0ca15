package internal_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/observed"
	"github.com/cellwarden/cellwarden/pfc"
)

// observedRead returns what a capture of testdata has of LLDP, and requires that every frame survives byte for byte.
func observedRead(t *testing.T, name string) *observed.Heard {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("observed/testdata", name))
	require.NoError(t, err)
	h, err := observed.Capture(data)
	require.NoError(t, err)
	require.NoError(t, h.Refused)
	require.Len(t, h.Senders, 2)
	for i := range h.Senders {
		f := dcbx.Frame{Destination: dcbx.NearestBridge, Source: h.Senders[i].Address, PDU: h.Senders[i].PDU}
		wire, err := f.AppendTo(nil)
		require.NoError(t, err)
		require.Contains(t, string(data), string(wire), "the frame stands in the capture")
	}
	return h
}

// words are the fields of a frame in tshark's names.
type words map[string][]string

// add appends a value of a field.
func (w words) add(field, format string, value any) {
	w[field] = append(w[field], fmt.Sprintf(format, value))
}

// each appends a value of each of the fields of eight.
func (w words) each(field string, value func(i int) any) {
	for i := range pfc.PerLink {
		w.add(fmt.Sprintf("%s%d", field, i), "%d", value(i))
	}
}

// bit is 1 for true.
func bit(is bool) int { return map[bool]int{true: 1}[is] }

// flow adds the priorities with PFC.
func (w words) flow(p pfc.Priorities) {
	w.each("lldp.dcbx.feature.pfc.prio", func(i int) any { return bit(p.Has(i)) })
}

// ieee adds the TLVs of IEEE 802.1Qaz. 8 traffic classes are 0 in the frame.
func (w words) ieee(ad *dcbx.Advertisement) {
	if e := ad.ETS; e != nil {
		w.add("lldp.dcbx.ieee.willing", "%d", bit(e.Willing))
		w.add("lldp.dcbx.ieee.ets.maxtcs", "%d", e.MaxTCs%8)
		w.each("lldp.dcbx.feature.pg.pgid_prio", func(i int) any { return e.Class[i] })
		w.each("lldp.dcbx.feature.pg.per", func(i int) any { return e.Bandwidth[i] })
		w.each("lldp.dcbx.ieee.ets.tsa", func(i int) any { return uint8(e.Selection[i]) })
	}
	if f := ad.PFC; f != nil {
		w.add("lldp.dcbx.ieee.willing", "%d", bit(f.Willing))
		w.add("lldp.dcbx.ieee.pfc.numtcs", "%d", f.Capability)
		w.flow(f.Enabled)
	}
}

// cee adds the TLV of CEE.
func (w words) cee(c *dcbx.CEE) {
	w.add("lldp.dcbx.control.seq", "%d", c.Control.Sequence)
	w.add("lldp.dcbx.control.ack", "%d", c.Control.Acknowledged)
	for _, f := range []*dcbx.Feature{&c.Groups.Feature, &c.PFC.Feature, &c.Application.Feature} {
		w.add("lldp.dcbx.feature.enabled", "%d", bit(f.Enabled))
		w.add("lldp.dcbx.feature.willing", "%d", bit(f.Willing))
		w.add("lldp.dcbx.feature.error", "%d", bit(f.Error))
	}
	w.each("lldp.dcbx.feature.pg.pgid_prio", func(i int) any { return c.Groups.Group[i] })
	w.each("lldp.dcbx.feature.pg.per", func(i int) any { return c.Groups.Bandwidth[i] })
	w.add("lldp.dcbx.feature.pg.numtcs", "0x%02x", c.Groups.Classes)
	w.flow(c.PFC.Priorities)
	w.add("lldp.dcbx.feature.pfc.numtcs", "0x%02x", c.PFC.Classes)
	for _, a := range c.Application.Assignments {
		w.add("lldp.dcbx.feature.app.proto", "0x%04x", a.Protocol)
		w.add("lldp.dcbx.feature.app.prio", "%d", a.Priorities.Lowest())
	}
}

// observedSaid returns a sender's last frame in tshark's names.
func observedSaid(s *observed.Sender) words {
	w, ad := words{}, dcbx.Read(&s.PDU)
	w.add("eth.src", "%s", strings.ReplaceAll(s.Address.String(), "-", ":"))
	w.add("lldp.time_to_live", "%d", s.PDU.TimeToLive()/1e12)
	if name := s.PDU.SystemName(); name != "" {
		w.add("lldp.tlv.system.name", "%s", name)
	}
	if frame, ok := s.PDU.MaxFrame().Get(); ok {
		w.add("lldp.ieee.802_3.max_frame_size", "%d", frame)
	}
	for _, tlv := range s.PDU.TLVs {
		if oui, subtype, ok := tlv.Organisation(); ok && oui == [3]byte{0, 0x80, 0xc2} && subtype == 1 {
			w.add("lldp.ieee.802_1.port_vlan.id", "%d", int(tlv.Value[4])<<8|int(tlv.Value[5]))
		}
	}
	w.ieee(&ad)
	if ad.CEE != nil {
		w.cee(ad.CEE)
	}
	return w
}

// Every field of the frames of lldpad and lldpd that tshark reads, this project reads as the same. How the files were
// made: testdata/README.md.
func TestObservedCapturesAsTsharkReadsThem(t *testing.T) {
	for _, name := range []string{"lldpad", "lldpad-differ", "lldpad-cee", "lldpad-cee-differ", "lldpd"} {
		text, err := os.ReadFile(filepath.Join("observed/testdata", name+".tshark.json"))
		require.NoError(t, err)
		var want []words
		require.NoError(t, json.Unmarshal(text, &want))
		h, got := observedRead(t, name+".pcap"), map[string]words{}
		for i := range h.Senders {
			w := observedSaid(&h.Senders[i])
			got[w["eth.src"][0]] = w
		}
		require.Len(t, want, 2)
		for _, w := range want {
			require.Equal(t, w, got[w["eth.src"][0]], name)
		}
	}
}

// lldpd's frames have what lldpd says by itself, and a TLV that nobody knows survives.
func TestObservedCaptureOfLLDPD(t *testing.T) {
	s := &observedRead(t, "lldpd.pcap").Senders[0]
	require.Equal(t, []string{"02-00-00-00-00-0a eth0", "leafa"}, []string{s.Name.String(), s.PDU.SystemName()})
	require.Contains(t, s.PDU.TLVs, dcbx.TLV{Type: dcbx.TypePortDescription, Value: []byte("to leaf")})
	require.Contains(t, s.PDU.TLVs, dcbx.TLV{Type: dcbx.TypeOrganisation,
		Value: []byte{2, 0, 1, 7, 0xca, 0xfe, 0, 1}})
	ad := dcbx.Read(&s.PDU)
	require.Equal(t, dcbx.IEEEVersion, ad.Version())
	require.Empty(t, ad.Unusable)
}

// Two lldpads by CEE: one that is willing keeps its own priorities in the TLV, and where none is willing both set the
// error bit. Both have acknowledged each other's last message.
func TestObservedCapturesOfLLDPADByCEE(t *testing.T) {
	for name, differ := range map[string]bool{"lldpad-cee.pcap": false, "lldpad-cee-differ.pcap": true} {
		h := observedRead(t, name)
		var sent [2]*dcbx.CEE
		for i := range sent {
			ad := dcbx.Read(&h.Senders[i].PDU)
			require.Empty(t, ad.Unusable)
			sent[i] = ad.CEE
			require.Equal(t, differ, ad.CEE.PFC.Error, name)
		}
		require.Equal(t, []pfc.Priorities{pfc.Of(5), pfc.Of(3, 4)},
			[]pfc.Priorities{sent[0].PFC.Priorities, sent[1].PFC.Priorities})
		require.Equal(t, []bool{!differ, false}, []bool{sent[0].PFC.Willing, sent[1].PFC.Willing})
		require.Equal(t, sent[0].Control.Sequence, sent[1].Control.Acknowledged)
		require.Equal(t, sent[1].Control.Sequence, sent[0].Control.Acknowledged)
	}
}
