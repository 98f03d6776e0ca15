package diagnosis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/diagnosis"

	"github.com/cellwarden/cellwarden/unit"
)

// shown is what a terminal shows, with prompts, and a table that nothing is read of.
const shown = `admin@sonic:~$ show priority-group watermark headroom
Ingress headroom per PG:
     Port    PG0    PG1    PG2    PG3    PG4    PG5    PG6    PG7
---------  -----  -----  -----  -----  -----  -----  -----  -----
Ethernet0      0      0      0   9216      0      0      0      0
Ethernet4      0      0      0    N/A      0      0      0      0
admin@sonic:~$ show priority-group watermark shared
Ingress shared pool occupancy per PG: (Namespace asic0)
     Port    PG0    PG1    PG2    PG3    PG4    PG5    PG6    PG7    PG8
---------  -----  -----  -----  -----  -----  -----  -----  -----  -----
Ethernet0    100      0      0  41600      0      0      0      0      0
admin@sonic:~$ show queue watermark unicast
Egress shared pool occupancy per unicast queue:
     Port    UC0    UC1
---------  -----  -----
Ethernet0      5      6
admin@sonic:~$ show pfc counters
  Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7
---------  ------  ------  ------  ------  ------  ------  ------  ------
Ethernet0       0       0       0       7       0       0       0       0

  Port Tx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7
---------  ------  ------  ------  ------  ------  ------  ------  ------
Ethernet0       0       0       0   1,210       0       0       0       0

admin@sonic:~$ show priority-group drop counters
Ingress PG dropped packets:
     Port    PG0    PG1    PG2    PG3    PG4    PG5    PG6    PG7
---------  -----  -----  -----  -----  -----  -----  -----  -----
Ethernet0      0      0      0     12      0      0      0      0
admin@sonic:~$ show pfcwd stats
      QUEUE       STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP    TX LAST OK/DROP    RX LAST OK/DROP
-----------  -----------  -------------------------  ------------  ------------  -----------------  -----------------
Ethernet0:3  operational                        2/2     1026/3000       300/200            200/300              100/0
admin@sonic:~$ show headroom-pool watermark
Headroom pool maximum occupancy:
                 Pool    Bytes
---------------------  -------
ingress_lossless_pool   123456
`

// database is the same as a dump of COUNTERS_DB, in both forms of values.
const database = `{
 "COUNTERS_PORT_NAME_MAP": {"type": "hash", "value": {"Ethernet0": "oid:0x1000000000002"}},
 "COUNTERS_PG_NAME_MAP": {"Ethernet0:3": "oid:0x1a000000000030", "Ethernet4:3": "oid:0x1a000000000031"},
 "COUNTERS_BUFFER_POOL_NAME_MAP": {"ingress_lossless_pool": "oid:0x18000000000b4d"},
 "COUNTERS:oid:0x1000000000002": {"SAI_PORT_STAT_PFC_3_RX_PKTS": "7", "SAI_PORT_STAT_PFC_3_TX_PKTS": 1210,
  "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US": "15", "SAI_PORT_STAT_IF_IN_OCTETS": "1000", "SAI_PORT_STAT_IF_OUT_OCTETS": "2000",
  "SAI_PORT_STAT_IF_IN_ERRORS": "no number"},
 "COUNTERS:oid:0x1a000000000030": {"type": "hash", "value": {"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS": "12"}},
 "USER_WATERMARKS:oid:0x1a000000000030": {"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES": "208",
  "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_CELLS": "200"},
 "PERSISTENT_WATERMARKS:oid:0x1a000000000030": {"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES": "9216"},
 "USER_WATERMARKS:oid:0x1a000000000031": {"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES": "N/A"},
 "USER_WATERMARKS:oid:0x18000000000b4d": {"SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES": "123456"},
 "COUNTERS_QUEUE_NAME_MAP": {"Ethernet0:3": "oid:0x15000000000063"},
 "COUNTERS:oid:0x15000000000063": {"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED": "2"},
 "COUNTERS:oid:0x999": {"SAI_PORT_STAT_PFC_3_RX_PKTS": "99"}
}`

func at(s diagnosis.Sample, port string, group int) diagnosis.GroupSample {
	for _, g := range s.Groups {
		if g.Port == port && g.Group == group {
			return g
		}
	}
	return diagnosis.GroupSample{}
}

func TestForms(t *testing.T) {
	const table = "port,group,headroom_watermark_cells,shared_watermark_bytes,dropped_packets,pause_sent,pause_received\n" +
		"Ethernet0,3,45,41600,12,1210,7\nEthernet4,3,,,,,\n"
	for name, text := range map[string]string{"show": shown, "database": database, "csv": table} {
		t.Run(name, func(t *testing.T) {
			s, err := diagnosis.ReadCounters([]byte(text), diagnosis.CounterOptions{Cell: 208})
			require.NoError(t, err)
			g := at(s, "Ethernet0", 3)
			want := unit.Given[unit.Bytes](9216)
			if name == "csv" {
				want = unit.Given[unit.Bytes](45 * 208)
			}
			require.Equal(t, want, g.Headroom)
			require.Equal(t, unit.Given[unit.Bytes](41600), g.Shared)
			require.Equal(t, unit.Given[int64](12), g.Drops)
			require.Equal(t, unit.Given[int64](1210), g.PauseSent)
			require.Equal(t, unit.Given[int64](7), g.PauseReceived)
			require.False(t, at(s, "Ethernet4", 3).Headroom.IsGiven(), "N/A is not zero")
			if name != "csv" {
				require.Equal(t, unit.Given[unit.Bytes](123456), s.HeadroomPool)
				require.Equal(t, unit.Given[int64](2), g.Storms)
			}
		})
	}
	s, err := diagnosis.ReadCounters([]byte(database), diagnosis.CounterOptions{Cell: 208})
	require.NoError(t, err)
	require.Equal(t, []diagnosis.PortSample{{Port: "Ethernet0", BytesIn: unit.Given[unit.Bytes](1000),
		BytesOut: unit.Given[unit.Bytes](2000)}}, s.Ports)
	require.Equal(t, unit.Given(15*unit.Microsecond), at(s, "Ethernet0", 3).Paused)
}

func TestCountersRefused(t *testing.T) {
	for name, test := range map[string]struct{ text, says string }{
		"nothing":      {"", "no counter of a port or priority group was found: want SONiC's show"},
		"prose":        {"hello\nworld\n", "no counter"},
		"empty object": {"{}", "no counter"},
		"no JSON":      {"{", "unexpected EOF"},
		"garbage":      {database + "}", "text after the JSON value"},
		"a number": {`{"Ethernet0:3":{"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS":true}}`,
			"bool: want a number"},
		"negative": {`{"Ethernet0:3":{"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS":"-1"}}`,
			"want a whole number, 0 to"},
		"no group": {`{"Ethernet0":{"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS":"1"}}`, "want PORT:NUMBER"},
		"cells": {`{"Ethernet0:3":{"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_CELLS":"1"}}`,
			"the size of a cell is not known"},
		"two values": {strings.Replace(shown, "  12 ", "  13 ", 1) + shown[strings.Index(shown, "Ingress PG"):],
			"13 and 12 for the same counter"},
		"a short line": {"Ingress headroom per PG:\nPort PG0 PG1\n---- --- ---\nEthernet0 1\n",
			"line 4: 1 values for 2 columns"},
		"a text": {"Ingress headroom per PG:\nPort PG0 PG1\n---- --- ---\nEthernet0 1 x\n",
			`line 4: Ethernet0, column 2: "x"`},
		"a column":      {"Ingress headroom per PG:\nPort PG0 UC1\n", `column "UC1": want PG0, PG1`},
		"csv column":    {"port,group,colour\n", `column "colour": want each of these at most once: port, group, bytes_in`},
		"csv group":     {"port,group,pause_sent\nx,y,1\n", `line 2: group "y": want 0 to 255`},
		"csv text":      {"port,group,pause_sent\nx,1,y\n", `line 2: pause_sent: "y": want`},
		"csv half line": {"port,group,pause_sent\nx,1\n", "record on line 2: wrong number of fields"},
		"no port":       {"port,group,pause_sent\n,1,5\n", "a port name of 0 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := diagnosis.ReadCounters([]byte(test.text), diagnosis.CounterOptions{})
			require.ErrorContains(t, err, test.says)
		})
	}
	_, err := diagnosis.ReadCounters(make([]byte, 16<<20+1), diagnosis.CounterOptions{})
	require.ErrorContains(t, err, "want at most")
}

// Any dump is refused, or read without a panic into values that package diagnosis accepts.
func FuzzRead(f *testing.F) {
	for _, text := range []string{shown, database, "port,group,pause_sent\nx,1,5\n", "[{}]", "{\"a\":1}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := diagnosis.ReadCounters(data, diagnosis.CounterOptions{Cell: 208})
		if err != nil {
			return
		}
		var grants []diagnosis.Grant
		for _, g := range s.Groups {
			if g.Group < diagnosis.Classes {
				grants = append(grants, diagnosis.Grant{Port: g.Port, Group: g.Group, Rate: unit.Gbps, Headroom: 1000})
			}
		}
		_, err = diagnosis.Assess(grants, unit.Given[unit.Bytes](5), nil, s)
		require.NoError(t, err)
	})
}

// What show pfc counters says of one port.
func ExampleReadCounters() {
	sample, err := diagnosis.ReadCounters([]byte(`
  Port Tx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7
---------  ------  ------  ------  ------  ------  ------  ------  ------
Ethernet0       0       0       0   1,210       0       0       0       0
`), diagnosis.CounterOptions{})
	if err != nil {
		fmt.Println(err)
	}
	g := sample.Groups[3]
	fmt.Printf("%s group %d: %v PFC frames sent, headroom watermark: %v\n", g.Port, g.Group, g.PauseSent, g.Headroom)
	// Output:
	// Ethernet0 group 3: 1210 PFC frames sent, headroom watermark: none
}
