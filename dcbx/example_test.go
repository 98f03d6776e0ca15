package dcbx_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
)

// A controller that draws a network names the machine behind a port as the machine names itself.
func ExamplePDU_SystemName() {
	spine := dcbx.Neighbour{Chassis: dcbx.ID{Subtype: dcbx.ChassisAddress, Value: "\x02\x00\x00\x00\x00\x01"},
		Port: dcbx.ID{Subtype: dcbx.PortInterface, Value: "Ethernet7"}}
	p := dcbx.PDU{TLVs: append(dcbx.Mandatory(spine, dcbx.TimeToLive),
		dcbx.TLV{Type: dcbx.TypeSystemName, Value: []byte("spine1")})}
	fmt.Println(p.SystemName(), "is", p.Sender())
	// Output:
	// spine1 is 02-00-00-00-00-01 Ethernet7
}

// A server's NIC is willing. The switch sends PFC for priorities 3 and 4, and the NIC takes them over.
func Example() {
	table := dcbx.Table{Bandwidth: [8]uint8{100}, Selection: [8]dcbx.Selection{dcbx.Enhanced}}
	settings := dcbx.Settings{
		Address: pfc.Address{2, 0, 0, 0, 0, 1},
		Name: dcbx.Neighbour{
			Chassis: dcbx.ID{Subtype: 7, Value: "server1"},
			Port:    dcbx.ID{Subtype: 5, Value: "eth0"},
		},
		ETS: dcbx.ETSConfiguration{Willing: true, MaxTCs: 8, Table: table},
		PFC: dcbx.PFC{Willing: true, Capability: 8, Enabled: pfc.Of(3)},
	}
	a, err := dcbx.NewAgent(settings)
	if err != nil {
		fmt.Println(err)
		return
	}
	flow := dcbx.PFC{Capability: 8, Enabled: pfc.Of(3, 4)}
	tlv, _ := flow.TLV()
	frame := dcbx.Frame{Destination: dcbx.NearestBridge, Source: pfc.Address{2, 0, 0, 0, 0, 2}}
	leaf := dcbx.Neighbour{Chassis: dcbx.ID{Subtype: 7, Value: "leaf1"}, Port: dcbx.ID{Subtype: 5, Value: "Ethernet1"}}
	frame.PDU.TLVs = append(dcbx.Mandatory(leaf, dcbx.TimeToLive), tlv)

	now := dcbx.Interval
	fmt.Println("before:", a.Operational().Enabled, "-", a.Operational().PFC.Reason)
	a.Receive(now, &frame)
	in := a.Operational()
	fmt.Println("after:", in.Enabled, "-", in.PFC.Reason)
	// Output:
	// before: 3 - no neighbour is known
	// after: 3,4 - the port is willing and the neighbour is not
}
