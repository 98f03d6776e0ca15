package sonic_test

import (
	"fmt"
	"log"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// A longer cable on a switch that has the plan for the shorter: the updater of
// one release takes the new profile, that of an earlier one does not.
func ExampleOptions_Render() {
	current, err := sonic.ReadConfigDB([]byte(`{
		"PORT": {"Ethernet0": {"speed": "100000"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "12582912", "xoff": "4194304"}},
		"BUFFER_PROFILE": {"pg_lossless_100000_5m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "0", "xoff": "237120", "xon": "0", "xon_offset": "3536"}},
		"BUFFER_PG": {"Ethernet0|3-4": {"profile": "pg_lossless_100000_5m_profile"}},
		"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}},
		"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "3", "4": "4"}},
		"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4", "tc_to_pg_map": "AZURE"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	intent := buffer.Intent{
		Chip: buffer.Chip{Name: "tomahawk", Cell: 208, Slices: []buffer.Slice{{Cells: 80660}}, MinAlpha: -8, MaxAlpha: 7,
			Groups: pg.PerPort},
		Pool:   buffer.Pool{Size: 12 * unit.MiB, SharedHeadroom: 4 * unit.MiB},
		Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3, 4}, Lossless: true,
			Reserved: unit.Given[unit.Bytes](1248), XONOffset: unit.Given[unit.Bytes](3536)}},
		Ports: []buffer.Port{{Name: "Ethernet0", Rate: 100 * unit.Gbps, Cable: 40 * unit.Metre, MTU: 9216}},
	}
	plan, err := buffer.New(intent)
	if err != nil {
		log.Fatal(err)
	}
	for _, release := range []string{"202511", "202405"} {
		r := sonic.Options{Release: release, Current: current}.Render(nos.Plan{Intent: intent, Layout: plan.Layout()})
		fmt.Println(release)
		for _, u := range r.Updates {
			fmt.Println("  now  ", nos.Text(u.Path[2:]))
		}
		for _, w := range r.Waiting {
			fmt.Println("  waits", w.Path, w.Why)
		}
	}
	// Output:
	// 202511
	//   now   /BUFFER_PROFILE/pg_lossless_100000_40m_profile
	//   now   /CABLE_LENGTH/AZURE/Ethernet0
	//   now   /BUFFER_PG/Ethernet0|3-4/profile
	// 202405
	//   waits /CONFIG_DB/localhost/BUFFER_PROFILE/pg_lossless_100000_40m_profile the updater of 202405 does not accept whole profiles; that of 202511 does
	//   waits /CONFIG_DB/localhost/CABLE_LENGTH/AZURE/Ethernet0 it belongs to the port's lossless groups, which need profile pg_lossless_100000_40m_profile
	//   waits /CONFIG_DB/localhost/BUFFER_PG/Ethernet0|3-4/profile it needs profile pg_lossless_100000_40m_profile, which needs a reload
}
