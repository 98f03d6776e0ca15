package internal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/observed"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Both forms of lldpcli's JSON say the same. They are of lldpd 1.0.16, which heard two ports on one interface: one that
// speaks IEEE 802.1Qaz, and one that speaks CEE.
func TestObservedNeighbours(t *testing.T) {
	var forms [][]observed.Seen
	for _, name := range []string{"lldpcli.json", "lldpcli0.json"} {
		data, err := os.ReadFile(filepath.Join("observed/testdata", name))
		require.NoError(t, err)
		seen, err := observed.Neighbours(data)
		require.NoError(t, err)
		forms = append(forms, seen)
	}
	require.Equal(t, forms[0], forms[1])
	require.Len(t, forms[0], 2)
	ieee, cee := &forms[0][0], &forms[0][1]
	require.Equal(t, []string{"dva", "dva"}, []string{ieee.Interface, cee.Interface})
	require.Equal(t, "02-00-00-00-00-77 Ethernet49", ieee.Name.String())
	require.Equal(t, pfc.Address{2, 0, 0, 0, 0, 0x77}, ieee.Address)
	require.Equal(t, "leaf1", ieee.PDU.SystemName())
	require.Equal(t, 120*unit.Second, ieee.PDU.TimeToLive())
	require.Equal(t, unit.Given[unit.Bytes](9216), ieee.PDU.MaxFrame())
	a := dcbx.Read(&ieee.PDU)
	require.Empty(t, a.Unusable)
	require.Equal(t, pfc.Of(3, 4), a.PFC.Enabled)
	require.Equal(t, [8]uint8{3: 1}, a.ETS.Class)
	require.Equal(t, []dcbx.Assignment{{Priority: 3, Selector: dcbx.ByUDP, Protocol: 4791}}, a.Application.Assignments)
	b := dcbx.Read(&cee.PDU)
	require.Equal(t, dcbx.CEEVersion, b.Version())
	require.Equal(t, pfc.Of(3, 4), b.CEE.PFC.Priorities)
}

// observedOne returns the JSON of one neighbour.
func observedOne(chassis, port, more string) string {
	return `{"lldp":{"interface":{"eth0":{"chassis":{"id":` + chassis + `},"port":{"id":` + port + `}` + more + `}}}}`
}

const local = `{"type":"local","value":"x"}`

// Every kind of name that lldpd prints is read as what it says.
func TestObservedNames(t *testing.T) {
	for text, want := range map[string]dcbx.ID{
		local: {Subtype: 7, Value: "x"},
		`{"type":"mac","value":"02:00:00:00:00:01"}`: {Subtype: 4, Value: "\x02\x00\x00\x00\x00\x01"},
		`{"type":"ip","value":"192.0.2.1"}`:          {Subtype: 5, Value: "\x01\xc0\x00\x02\x01"},
		`{"type":"ip","value":"2001:db8::1"}`: {Subtype: 5,
			Value: "\x02\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"},
		`{"type":"ifname","value":"lo"}`: {Subtype: 6, Value: "lo"},
	} {
		seen, err := observed.Neighbours([]byte(observedOne(text, local, "")))
		require.NoError(t, err, text)
		require.Equal(t, want, seen[0].Name.Chassis)
	}
	seen, err := observed.Neighbours([]byte(observedOne(local, `{"type":"mac","value":"02:00:00:00:00:02"}`, "")))
	require.NoError(t, err)
	require.Equal(t, pfc.Address{2, 0, 0, 0, 0, 2}, seen[0].Address)
	seen, err = observed.Neighbours([]byte(`{"lldp":{}}`))
	require.NoError(t, err)
	require.Empty(t, seen, "nothing is heard")
}

// What cannot be read is an error that says where.
func TestObservedJSONThatIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		``:                           "no JSON of lldpcli: EOF",
		`{"lldp":{}} {}`:             "something follows the JSON",
		`{"interface":{}}`:           `no key "lldp"`,
		observedOne(`{}`, local, ""): `interface "eth0".id: type "" (want mac, ip, ifname, local)`,
		observedOne(local, `{"type":"mac","value":"zz"}`, ""):                                   `id: "zz" (want a MAC address)`,
		observedOne(local, `{"type":"ip","value":"zz"}`, ""):                                    `id: "zz" (want an IP address)`,
		observedOne(local, `{"type":"local","value":""}`, ""):                                   "TLV 2 (port): 1 byte",
		observedOne(local, local, `,"unknown-tlvs":{"unknown-tlv":{"oui":"00","subtype":"1"}}`): "an oui of three bytes",
		`{"lldp":{"interface":{"eth0":{"port":{"id":` + local + `,"ttl":"70000"}}}}}`:           `ttl: 70000 (want 0 to 65535)`,
		`{"lldp":{"interface":{"eth0":{}}}}`:                                                    "TLV 1 (chassis): 1 byte",
	} {
		_, err := observed.Neighbours([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	var many strings.Builder
	for i := range observed.MaxPorts + 1 {
		if i > 0 {
			many.WriteString(",")
		}
		many.WriteString(`{"name":"eth0","chassis":[{"id":[` + local + `]}],"port":[{"id":[` + local + `]}]}`)
	}
	_, err := observed.Neighbours([]byte(`{"lldp":[{"interface":[` + many.String() + `]}]}`))
	require.ErrorContains(t, err, "more neighbours than are want 4096")
}

// No JSON makes the reader fail in another way than by an error, and what is read is LLDP.
func FuzzObservedNeighbours(f *testing.F) {
	for _, name := range []string{"lldpcli.json", "lldpcli0.json"} {
		data, err := os.ReadFile(filepath.Join("observed/testdata", name))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seen, err := observed.Neighbours(data)
		if err != nil {
			return
		}
		require.True(t, json.Valid(data))
		for i := range seen {
			require.NoError(t, seen[i].PDU.Validate())
		}
	})
}
