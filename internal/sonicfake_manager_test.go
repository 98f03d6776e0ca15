package internal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// managed is a switch with one port and a profile of its own for 40 m.
func managed(vendor string) *sonicfake.Switch {
	s := sonicfake.New(sonicfake.DB{
		"DEVICE_METADATA": {"localhost": {"buffer_model": "traditional"}},
		"PORT":            {"Ethernet0": {"speed": "100000", "admin_status": "up"}},
		"BUFFER_POOL":     {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "9000000"}},
		"BUFFER_PROFILE": {"pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248",
			"xoff": "241904"},
			"mine": {"pool": "ingress_lossless_pool", "size": "1248", "xoff": "404352"}},
		"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
		"BUFFER_PG":    {"Ethernet0|3-4": {"profile": "pg_lossless_100000_40m_profile"}},
		"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}},
	})
	s.Manager = &sonicfake.Manager{Vendor: vendor, Rows: map[[2]string]sonicfake.Row{
		{"100000", "40m"}:  {Size: "1248", XON: "2288", XOFF: "165568", Threshold: "-3", XONOffset: "2288"},
		{"100000", "300m"}: {Size: "1248", XON: "2288", XOFF: "268736", Threshold: "-3", XONOffset: "2288"},
		{"40000", "40m"}:   {Size: "1248", XON: "2288", XOFF: "66560", Threshold: "-3"},
	}}
	s.Boot()
	return s
}

func bound(s *sonicfake.Switch) string { return s.Config()["BUFFER_PG"]["Ethernet0|3-4"]["profile"] }

// cable gives the port another length, as an operator does.
func cable(s *sonicfake.Switch, length string) {
	db := s.Config()
	db["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = length
	s.Load(db)
	s.SetPort("Ethernet0", "mtu", "9100") // and have the manager read it
}

// What was observed of the traditional manager for Broadcom, one case after the other.
func TestSonicfakeTraditionalManager(t *testing.T) {
	s := managed("broadcom")
	require.Equal(t, "241904", s.Config()["BUFFER_PROFILE"][bound(s)]["xoff"], "the profile that is there stays")
	cable(s, "300m")
	require.Equal(t, "pg_lossless_100000_300m_profile", bound(s))
	require.Equal(t, "268736", s.Config()["BUFFER_PROFILE"][bound(s)]["xoff"], "a new profile is from the table")
	cable(s, "77m")
	require.Equal(t, "pg_lossless_100000_300m_profile", bound(s), "without a row nothing changes")
	require.Contains(t, s.Manager.Log[0], "No PG profile configured for speed 100000 and cable length 77m")
	cable(s, "40m")
	require.Equal(t, "241904", s.Config()["BUFFER_PROFILE"][bound(s)]["xoff"])
	for _, status := range []string{"down", "up"} {
		s.SetPort("Ethernet0", "admin_status", status)
		require.Equal(t, "pg_lossless_100000_40m_profile", bound(s))
	}
	s.SetPort("Ethernet0", "speed", "40000")
	require.Equal(t, "66560", s.Config()["BUFFER_PROFILE"]["pg_lossless_40000_40m_profile"]["xoff"])
	require.NotContains(t, s.Config()["BUFFER_PROFILE"]["pg_lossless_40000_40m_profile"], "xon_offset")
}

// Another profile is taken from the port at the next start, and the groups of two entries get
// a third. A cable of 0 m prevents both.
func TestSonicfakeTraditionalManagerBindsByName(t *testing.T) {
	for _, length := range []string{"40m", "0m"} {
		s := managed("broadcom")
		db := s.Config()
		db["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = length
		db["BUFFER_PG"] = map[string]map[string]string{"Ethernet0|3": {"profile": "mine"}, "Ethernet0|4": {"profile": "mine"}}
		s.Load(db)
		s.Boot()
		require.Equal(t, length == "40m", bound(s) == "pg_lossless_100000_40m_profile")
		require.Equal(t, "mine", s.Config()["BUFFER_PG"]["Ethernet0|3"]["profile"])
	}
}

// On NVIDIA's chips the groups of a port that goes down are deleted, and written again only from a row of the table.
func TestSonicfakeTraditionalManagerOfNVIDIA(t *testing.T) {
	s := managed("mellanox")
	s.SetPort("Ethernet0", "admin_status", "down")
	require.Empty(t, bound(s))
	s.SetPort("Ethernet0", "admin_status", "up")
	require.Equal(t, "pg_lossless_100000_40m_profile", bound(s))
	delete(s.Manager.Rows, [2]string{"100000", "40m"})
	s.SetPort("Ethernet0", "admin_status", "down")
	s.SetPort("Ethernet0", "admin_status", "up")
	require.Empty(t, bound(s))
}

// The dynamic manager computes the pools without a size. One with a size is kept, and two ingress pools halve the rest.
func TestSonicfakeDynamicManager(t *testing.T) {
	s := managed("mellanox")
	s.Manager.MMU, s.Manager.Latency = 13945824, 19*1024
	s.Manager.Headroom = func(speed, cable, mtu string) sonicfake.Row {
		return sonicfake.Row{Size: "67584", XON: "19456", XOFF: "48128"}
	}
	db := s.Config()
	db["DEVICE_METADATA"]["localhost"]["buffer_model"] = "dynamic"
	db["BUFFER_PROFILE"] = map[string]map[string]string{
		"static": {"pool": "ingress_lossless_pool", "size": "1", "static_th": "5"}}
	db["BUFFER_PG"]["Ethernet0|3-4"]["profile"] = "NULL"
	s.Load(db)
	require.Equal(t, "9000000", s.Applied()["BUFFER_POOL"]["ingress_lossless_pool"]["size"])
	require.NotContains(t, s.Applied()["BUFFER_PROFILE"], "static", "its threshold is of another mode than the pool's")
	delete(db["BUFFER_POOL"]["ingress_lossless_pool"], "size")
	s.Load(db)
	const used = 262144 + 19*1024 + 10240 + 2*67584
	require.Equal(t, "13518816", s.Applied()["BUFFER_POOL"]["ingress_lossless_pool"]["size"])
	require.Equal(t, 13518816, 13945824-used)
	require.Equal(t, "67584", s.Applied()["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]["size"])
	s.Manager.MaxHeadroom = 100000
	require.NotContains(t, s.Applied()["BUFFER_PG"], "Ethernet0|3-4")
	require.Contains(t, s.Manager.Log[len(s.Manager.Log)-1], "exceeds the limit")
}
