package native_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// managed is a switch as it comes, with a buffer manager that has rows for 5 m and 40 m.
func managed(vendor, model, asic string) *sonicfake.Switch {
	db := shipped()
	db["DEVICE_METADATA"]["localhost"]["buffer_model"] = model
	for _, p := range db["PORT"] {
		p["admin_status"] = "up"
	}
	db["PORT_QOS_MAP"]["Ethernet4"]["pfc_enable"] = "3,4"
	s := sonicfake.New(db)
	s.ASIC, s.Version = asic, "SONiC.20251110.1"
	s.Manager = &sonicfake.Manager{Vendor: vendor, Rows: map[[2]string]sonicfake.Row{
		{"100000", "5m"}:  {Size: "1248", XON: "2288", XOFF: "165568", Threshold: "-3", XONOffset: "2288"},
		{"100000", "40m"}: {Size: "1248", XON: "2288", XOFF: "177632", Threshold: "-3", XONOffset: "2288"},
	}}
	s.Boot()
	return s
}

// endures checks that a switch has the plan after all that has its buffer manager act: a
// restart, and each port down and up.
func endures(t *testing.T, s *sonicfake.Switch, l native.Language) {
	t.Helper()
	client := served(t, s, 0)
	p, err := push(t, client, l)
	require.NoError(t, err)
	require.Equal(t, backend.Applied, p.Report.State)
	for _, act := range []func(){s.Boot,
		func() { s.SetPort("Ethernet0", "admin_status", "down") }, func() { s.SetPort("Ethernet0", "admin_status", "up") },
		func() { s.SetPort("Ethernet4", "admin_status", "down") }, func() { s.SetPort("Ethernet4", "admin_status", "up") },
		s.Boot} {
		act()
	}
	p, err = native.Look(t.Context(), client, l)
	require.NoError(t, err)
	require.Empty(t, changed(p), "the manager has left the plan as it is")
	want := map[string]bool{}
	for _, u := range l.Unread().Updates {
		if name := u.Path[2].Name; name == "BUFFER_PG" && u.JSON != nil {
			want[u.Path[3].Name] = true
		}
	}
	for key, e := range s.Config()["BUFFER_PG"] {
		if strings.HasSuffix(key, "|0") || e["profile"] == "ingress_lossy_profile" {
			continue
		}
		require.True(t, s.Config()["BUFFER_PROFILE"][e["profile"]] != nil, key)
		require.Contains(t, []string{"|3", "|4", "|3-4"}, key[strings.Index(key, "|"):], "nothing beside the plan's groups")
	}
}

// Ports of the same speed and cable with different headroom keep it.
func TestManagerAndDifferentHeadroom(t *testing.T) {
	s := managed("broadcom", "traditional", "th")
	l := language(t, 40*unit.Metre)
	l.Plan.Intent.Ports[1].Extra = 2 * unit.Microsecond
	l.Plan = replanned(t, l.Plan.Intent)
	endures(t, s, l)
	db := s.Config()
	headroom := func(port string) int {
		n, err := strconv.Atoi(db["BUFFER_PROFILE"][db["BUFFER_PG"][port+"|3-4"]["profile"]]["xoff"])
		require.NoError(t, err)
		return n
	}
	require.Greater(t, headroom("Ethernet4"), headroom("Ethernet0"))
}

// Two lossless classes with headroom of their own on each port keep it.
func TestManagerAndTwoLosslessClasses(t *testing.T) {
	s := managed("broadcom", "traditional", "th")
	l := language(t, 40*unit.Metre)
	in := l.Plan.Intent
	in.Classes[0].Priorities = []int{3}
	in.Classes = append(in.Classes, buffer.Class{Name: "storage", Priorities: []int{4}, Lossless: true, MTU: 9216})
	l.Plan = replanned(t, in)
	endures(t, s, l)
	db := s.Config()["BUFFER_PG"]
	require.NotContains(t, db, "Ethernet0|3-4")
	require.NotEqual(t, db["Ethernet0|3"], db["Ethernet0|4"])
}

// A cable without a row in the table of an NVIDIA switch: the groups outlast a port that goes down and up.
func TestManagerWithoutARow(t *testing.T) {
	s := managed("mellanox", "traditional", "spc1")
	l := language(t, 77*unit.Metre)
	l.Options.ASIC = "spc1"
	endures(t, s, l)
	require.Contains(t, s.Config()["BUFFER_PG"], "Ethernet0|3-4")
}

// The dynamic manager: the pools that it computes stay within the chip, and the plan's
// headroom is what the groups have.
func TestDynamicManager(t *testing.T) {
	s := managed("mellanox", "dynamic", "spc1")
	s.Manager.MMU, s.Manager.Latency = 13945824, 19*1024
	db := s.Config()
	db["DEVICE_METADATA"]["localhost"]["hwsku"] = "ACS-MSN2700"
	for _, e := range db["BUFFER_POOL"] {
		delete(e, "size")
	}
	db["BUFFER_POOL"]["egress_lossless_pool"]["size"] = "13945824"
	db["BUFFER_PROFILE"]["ingress_lossy_profile"] = map[string]string{"pool": "ingress_lossless_pool", "size": "0",
		"dynamic_th": "3"} // as NVIDIA's templates have it
	delete(db["BUFFER_POOL"]["ingress_lossless_pool"], "xoff")
	s.Load(db)
	chip, _ := method.LookupSONiCChip("spectrum-1")
	l := &native.SONiC{Plan: planned(t, 40*unit.Metre, "Ethernet0", "Ethernet4")}
	in := l.Plan.Intent
	in.Chip.Name, in.Chip.Cell, in.Chip.Slices = "spectrum-1", 96, []buffer.Slice{{Cells: 145269}}
	in.Sizing, in.Pool = method.SONiC{Chip: chip}, buffer.Pool{}
	in.Classes[0].Reserved, in.Classes[0].MTU = unit.Optional[unit.Bytes]{}, 1024
	l.Plan = replanned(t, in)
	endures(t, s, l)
	applied := s.Applied()
	name := applied["BUFFER_PG"]["Ethernet0|3-4"]["profile"]
	require.True(t, strings.HasPrefix(name, "CW_LOSSLESS_"), name)
	size, err := strconv.ParseInt(applied["BUFFER_POOL"]["ingress_lossless_pool"]["size"], 10, 64)
	require.NoError(t, err)
	reserved := int64(0)
	for key, e := range applied["BUFFER_PG"] {
		n, err := strconv.ParseInt(applied["BUFFER_PROFILE"][e["profile"]]["size"], 10, 64)
		require.NoError(t, err)
		if reserved += n; strings.HasSuffix(key, "3-4") {
			reserved += n
		}
	}
	require.LessOrEqual(t, size+reserved, s.Manager.MMU)
	require.Greater(t, size, s.Manager.MMU/2)
	require.Empty(t, s.Manager.Log)

	// A port outside the plan computes its own: it does not take the plan's profile.
	db = s.Config()
	db["PORT"]["Ethernet8"] = maps.Clone(db["PORT"]["Ethernet0"])
	db["CABLE_LENGTH"]["AZURE"]["Ethernet8"] = "40m"
	db["BUFFER_PG"]["Ethernet8|3-4"] = map[string]string{"profile": "NULL"}
	s.Load(db)
	s.Manager.Headroom = func(string, string, string) sonicfake.Row {
		return sonicfake.Row{Size: "1", XON: "2",
			XOFF: "3"}
	}
	applied = s.Applied()
	require.Equal(t, "3", applied["BUFFER_PROFILE"][applied["BUFFER_PG"]["Ethernet8|3-4"]["profile"]]["xoff"])
}

// Whatever a plan has, and whatever table the switch has, its traditional manager leaves the
// plan's groups and profiles as they are: at boot, and when ports go down and up.
func TestManagerKeepsRandomPlans(t *testing.T) {
	effort.SkipShort(t, "it pushes random plans")
	random := rand.New(rand.NewPCG(13, 3))
	pick := func(n int) bool { return random.IntN(n) == 0 }
	for range 300 {
		ports := []string{"Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12"}
		in := planned(t, 40*unit.Metre, ports...).Intent
		if pick(2) {
			in.Pool = buffer.Pool{}
		}
		if pick(2) {
			in.Classes[0].Priorities = []int{3}
			in.Classes = append(in.Classes, buffer.Class{Name: "storage", Priorities: []int{4}, Lossless: true, MTU: 9216})
		}
		for i := range in.Ports {
			p := &in.Ports[i]
			p.Cable = []unit.Length{5 * unit.Metre, 40 * unit.Metre, 77 * unit.Metre, 77*unit.Metre + 1, 0}[random.IntN(5)]
			p.Rate = []unit.BitRate{100 * unit.Gbps, 100 * unit.Gbps, 40 * unit.Gbps}[random.IntN(3)]
			if pick(4) {
				p.Extra = 2 * unit.Microsecond
			}
			if pick(8) {
				p.Delay = unit.Given(unit.Microsecond)
			}
		}
		o := sonic.Options{ASIC: "th", Model: sonic.Traditional}
		s := managed("broadcom", "traditional", "th")
		if pick(2) {
			o.ASIC, s.Manager.Vendor = "spc1", "mellanox"
		}
		if pick(2) {
			o.Table = &table.Table{Rows: []table.Row{{Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre},
				{Rate: 100 * unit.Gbps, Cable: 40 * unit.Metre}}}
		}
		var whole sonicfake.DB
		require.NoError(t, json.Unmarshal(o.Render(replanned(t, in)).Files[0].Content, &whole))
		db := s.Config()
		maps.Copy(db, whole)
		for i, name := range ports {
			db["PORT"][name] = map[string]string{"admin_status": "up", "speed": fmt.Sprint(int64(in.Ports[i].Rate / unit.Mbps))}
		}
		s.Load(db)
		s.Boot()
		for _, name := range ports {
			s.SetPort(name, "admin_status", "down")
			s.SetPort(name, "admin_status", "up")
		}
		s.Boot()
		require.Equal(t, whole["BUFFER_PG"], s.Config()["BUFFER_PG"], "%+v", in.Ports)
		for name, e := range whole["BUFFER_PROFILE"] {
			require.Equal(t, e, s.Config()["BUFFER_PROFILE"][name])
		}
	}
}

// replanned is the plan of an intent.
func replanned(t *testing.T, in buffer.Intent) nos.Plan {
	t.Helper()
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
	return nos.Plan{Intent: in, Layout: plan.Layout()}
}
