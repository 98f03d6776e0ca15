package internal_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/inventory"
	"github.com/cellwarden/cellwarden/unit"
)

const cables = `side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,length,length_unit
leaf1,dcim.interface,Ethernet10,spine1,dcim.interface,Ethernet1,smf,connected,300,m
spine2,dcim.interface,Ethernet1,leaf1,dcim.interface,Ethernet2,smf,planned,12.5,ft
leaf1,dcim.interface,Ethernet3,panel7,dcim.frontport,12,smf,connected,2,m
leaf1,dcim.consoleport,Console,ts1,dcim.consoleserverport,4,cat6,connected,5,m
leaf2,dcim.interface,Ethernet1,spine1,dcim.interface,Ethernet2,smf,connected,7,m
leaf1,dcim.interface,Ethernet4,spine1,dcim.interface,Ethernet4,smf,decommissioning,7,m
leaf1,dcim.interface,Ethernet5,spine1,dcim.interface,Ethernet5,smf,connected,,
`

const interfaces = `device,name,type,speed,mgmt_only
leaf1,Ethernet2,100gbase-x-qsfp28,,false
leaf1,Ethernet10,400gbase-x-qsfpdd,200000000,false
leaf1,Ethernet3,2.5gbase-t,,false
leaf1,Ethernet5,800gbase-x-osfp,,false
leaf1,Ethernet6,100gbase-x-qsfp28,,false
leaf1,Management1,1000base-t,,true
leaf1,Port-Channel1,lag,,false
leaf2,Ethernet1,100gbase-x-qsfp28,,false
`

// lines prints what a list says.
func lines(l *inventory.List) (out []string) {
	for _, p := range l.Ports {
		cable := "?"
		if length, given := p.Cable.Get(); given {
			cable = length.String()
		}
		out = append(out, strings.Join([]string{p.Name, p.Rate.String(), cable, p.To, p.From, p.Why}, "|"))
	}
	return out
}

// What NetBox says of the cables and of the interfaces of a switch is joined, each with its line. Nothing is made up.
func TestInventoryNetBox(t *testing.T) {
	c, err := inventory.NetBox("c.csv", []byte(cables), "leaf1")
	require.NoError(t, err)
	i, err := inventory.NetBox("i.csv", []byte("\xef\xbb\xbf"+interfaces), "leaf1")
	require.NoError(t, err)
	both, err := inventory.Join(c, i)
	require.NoError(t, err)
	require.Equal(t, []string{"Ethernet2|100G|3.81m|spine2 Ethernet1|c.csv:3, i.csv:2|",
		"Ethernet3|2.5G|?|panel7 12|c.csv:4, i.csv:4|the cable ends at a frontport",
		"Ethernet5|800G|?|spine1 Ethernet5|c.csv:8, i.csv:5|",
		"Ethernet10|200G|300m|spine1 Ethernet1|c.csv:2, i.csv:3|"}, lines(both))
	require.Equal(t, []string{"Console is a consoleport (c.csv:5)", "Ethernet4: the cable goes (c.csv:7)",
		"Management1: it is for management (i.csv:7)", `Port-Channel1: type "lag" has no speed (i.csv:8)`,
		"Ethernet6 has no cable (i.csv:6)"}, both.Left)
}

// A mistake is refused with its line.
func TestInventoryNetBoxRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"300,m", "300,yd", `c.csv:2: length_unit "yd": want km, m, cm, mi, ft or in`},
		{"300,m", ",m", `c.csv:2: length "": want a number`},
		{"300,m", "1e9,m", `c.csv:2: length "1e9": want a number`},
		{"300,m", "-3,m", `c.csv:2: length "-3": want a number`},
		{"300,m", "999999999999,km", "c.csv:2: length 999999999999 km: want at most 100000km"},
		{"Ethernet2,smf", "Ethernet10,smf", `c.csv:3: port "Ethernet10" again, after c.csv:2 (want it once)`},
		{"leaf1", "leaf9", `c.csv: no port of device "leaf1" (want its name in NetBox)`},
		{"side_a_device", "Device A", `want the columns side_a_device, side_a_name, side_b_device, side_b_name of cables`},
		{"leaf1,dcim.interface,Ethernet5,", "leaf1,dcim.interface,\"Ethernet5,", "c.csv: "},
	} {
		_, err := inventory.NetBox("c.csv", []byte(strings.ReplaceAll(cables, c.old, c.new)), "leaf1")
		require.ErrorContains(t, err, c.want, c.new)
	}
	_, err := inventory.NetBox("i.csv", []byte(strings.Replace(interfaces, "200000000", "fast", 1)), "leaf1")
	require.ErrorContains(t, err, `i.csv:3: speed "fast": want kilobits per second`)
	var many strings.Builder
	many.WriteString("device,name,type\n")
	for n := range 5000 {
		fmt.Fprintf(&many, "leaf1,Ethernet%d,100gbase-x-qsfp28\n", n)
	}
	_, err = inventory.NetBox("i.csv", []byte(many.String()), "leaf1")
	require.ErrorContains(t, err, "i.csv:4098: more ports than a switch has (want at most 4096)")
}

// Two lists that disagree are refused.
func TestInventoryJoinRefuses(t *testing.T) {
	a := &inventory.List{Ports: []inventory.Port{{Name: "e1", Rate: unit.Gbps, From: "a:1"}}}
	b := &inventory.List{Ports: []inventory.Port{{Name: "e1", Rate: 2 * unit.Gbps, From: "b:1"}}}
	_, err := inventory.Join(a, b)
	require.ErrorContains(t, err, `b:1: "e1": speed is 2G, and 1G in a:1 (want lists that agree)`)
}

// The interfaces of lldpd's JSON are ports with cables of unknown length.
func TestInventoryNeighbours(t *testing.T) {
	data, err := os.ReadFile("observed/testdata/lldpcli.json")
	require.NoError(t, err)
	l, err := inventory.Neighbours("n.json", data)
	require.NoError(t, err)
	require.NotEmpty(t, l.Ports)
	require.True(t, l.Cables)
	for _, p := range l.Ports {
		require.False(t, p.Cable.IsGiven())
		require.NotEmpty(t, p.To)
	}
	_, err = inventory.Neighbours("n.json", []byte(`{"lldp": {}}`))
	require.ErrorContains(t, err, "n.json: no interface hears a neighbour")
}

func FuzzInventoryNetBox(f *testing.F) {
	f.Add([]byte(cables), "leaf1")
	f.Add([]byte(interfaces), "leaf1")
	f.Add([]byte("device,name,type\n,,\n"), "")
	f.Fuzz(func(t *testing.T, data []byte, device string) {
		l, err := inventory.NetBox("f", data, device)
		if err != nil {
			return
		}
		again, err := inventory.Join(l, l)
		require.NoError(t, err, "a list agrees with itself")
		require.LessOrEqual(t, len(again.Ports), len(l.Ports))
		for _, p := range again.Ports {
			require.NotEmpty(t, p.Name)
			length, given := p.Cable.Get()
			require.True(t, !given || length >= 0)
		}
	})
}
