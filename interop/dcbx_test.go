//go:build linux

package interop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/observed"
	"github.com/cellwarden/cellwarden/pfc"
)

// table is the configuration of our port's bandwidths: priority 3 apart from the others.
var table = dcbx.Table{Class: [8]uint8{3: 1}, Bandwidth: [8]uint8{40, 60},
	Selection: [8]dcbx.Selection{dcbx.Enhanced, dcbx.Enhanced}}

// settings returns those of our end of a link.
func settings(l *virtualLink, willing bool, enabled ...int) dcbx.Settings {
	return dcbx.Settings{Address: l.ourAddress, Name: dcbx.Neighbour{
		Chassis: dcbx.ID{Subtype: dcbx.ChassisAddress, Value: string(l.ourAddress[:])},
		Port:    dcbx.ID{Subtype: dcbx.PortInterface, Value: "Ethernet49"}},
		ETS: dcbx.ETSConfiguration{Willing: willing, MaxTCs: 8, Table: table},
		PFC: dcbx.PFC{Willing: willing, Capability: 8, Enabled: pfc.Of(enabled...)}}
}

// agent returns a port with settings.
func agent(t *testing.T, s dcbx.Settings) *dcbx.Agent {
	t.Helper()
	a, err := dcbx.NewAgent(s)
	require.NoError(t, err)
	return a
}

// lldpad starts lldpad at the other end, on a card with data center bridging (testdata/dcbnl.c), with PFC for
// priorities 3 and 4.
func lldpad(l *virtualLink, willing string) {
	l.t.Helper()
	startLLDPAD(l, "lldpad")
	l.there(nil, "lldptool", "-T", "-i", "eth0", "-V", "PFC", "enabled=3,4", "willing="+willing)
	l.there(nil, "lldptool", "-T", "-i", "eth0", "-V", "ETS-CFG", "willing="+willing)
	l.there(nil, "lldptool", "set-lldp", "-i", "eth0", "adminStatus=rxtx")
}

// startLLDPAD starts lldpad at the other end, with more variables in its environment.
func startLLDPAD(l *virtualLink, program string, environment ...string) {
	l.t.Helper()
	card := filepath.Join(l.dir, "dcbnl.so")
	command(l.t, "cc", "-shared", "-fPIC", "-O1", "-o", card, filepath.Join("testdata", "dcbnl.c"), "-ldl")
	// lldpad keeps the number of its process in memory that is shared on the whole machine, unless it has its own.
	l.program("sh", "-c", "mount -t tmpfs none /dev/shm && exec env "+strings.Join(environment, " ")+" LD_PRELOAD="+card+
		" "+program+" -p -t -V 3 -f "+filepath.Join(l.dir, "lldpad.conf"))
}

// needLLDPAD skips the test without lldpad and a C compiler.
func needLLDPAD(t *testing.T) { need(t, "lldpad gcc libc6-dev", "lldpad", "lldptool", "cc") }

// A negotiation with lldpad ends with the same PFC at both ends where one is willing or both are, and with each end's
// own where none is. Of two willing ends, that with the lower address takes over the other's.
func TestNegotiationWithLLDPAD(t *testing.T) {
	needLLDPAD(t)
	for _, c := range []struct {
		name          string
		ours, theirs  bool // willing
		address       byte // our last byte; theirs is 0x50
		weEnd, theyDo pfc.Priorities
		reason        dcbx.Reason
	}{
		{"we are willing", true, false, 0x51, pfc.Of(3, 4), pfc.Of(3, 4),
			"the port is willing and the neighbour is not"},
		{"lldpad is willing", false, true, 0x51, pfc.Of(5), pfc.Of(5),
			"the neighbour is willing and the port is not"},
		{"none is willing", false, false, 0x51, pfc.Of(5), pfc.Of(3, 4), "the port is not willing"},
		{"both are willing, we are higher", true, true, 0x51, pfc.Of(5), pfc.Of(5),
			"both ends are willing, and the port has the higher address: it keeps its own"},
		{"both are willing, we are lower", true, true, 0x4f, pfc.Of(3, 4), pfc.Of(3, 4),
			"both ends are willing, and the port has the lower address: it takes over the neighbour's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := connect(t, c.address)
			lldpad(l, map[bool]string{true: "yes", false: "no"}[c.theirs])
			s := settings(l, c.ours, 5)
			s.Recommendation = &dcbx.ETSRecommendation{Table: table}
			l.run(agent(t, s), func(in dcbx.Operational, theirs *dcbx.Advertisement) bool {
				return in.Peers == dcbx.One && in.PFC.Reason == c.reason && in.Enabled == c.weEnd && theirs.PFC != nil &&
					theirs.PFC.Enabled == c.theyDo && theirs.PFC.Willing == c.theirs &&
					theirs.ETS != nil && (theirs.ETS.Table == table) == c.theirs // a willing port uses what we recommend
			})
			got := l.there(nil, "lldptool", "-t", "-n", "-i", "eth0")
			require.Contains(t, got, "Ifname: Ethernet49")
			require.Contains(t, got, "PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0")
			require.Contains(t, got, "TC Bandwidth: 40% 60% 0% 0% 0% 0% 0% 0%")
			require.Contains(t, got, "PFC capable traffic classes: 8")
		})
	}
}

// lldpd hears our frames, IEEE and CEE, and prints their TLVs of DCBX byte for byte; we read its frames.
func TestLLDPD(t *testing.T) {
	need(t, "lldpd", "lldpd", "lldpcli")
	l := connect(t, 0x51)
	require.NoError(t, os.Chmod(filepath.Dir(l.dir), 0o755)) // lldpd connects to its socket as a user without rights
	socket := filepath.Join(l.dir, "lldpd.socket")
	l.program("lldpd", "-d", "-u", socket, "-I", "eth0")
	l.there(nil, "lldpcli", "-u", socket, "configure", "lldp", "tx-interval", "1")
	for mode, version := range map[dcbx.Mode]dcbx.Version{dcbx.OnlyIEEE: dcbx.IEEEVersion, dcbx.OnlyCEE: dcbx.CEEVersion} {
		s := settings(l, true, 3, 5)
		s.Mode = mode
		a := agent(t, s)
		f, err := a.Send(l.now())
		require.NoError(t, err)
		l.send(&f)
		want := dcbx.Read(&f.PDU)
		var heard []observed.Seen
		l.there(func(out string) bool {
			heard, err = observed.Neighbours([]byte(out))
			if err != nil || len(heard) != 1 {
				l.send(&f) // a frame that comes before lldpd listens is lost
				return false
			}
			got := dcbx.Read(&heard[0].PDU)
			return got.Version() == version
		}, "lldpcli", "-u", socket, "-f", "json", "show", "neighbors", "details")
		require.Equal(t, want, dcbx.Read(&heard[0].PDU))
		require.Equal(t, f.PDU.Sender(), heard[0].Name)
		require.Equal(t, l.ourAddress, heard[0].Address)
		l.run(a, func(in dcbx.Operational, theirs *dcbx.Advertisement) bool { // it sends LLDP without DCBX
			return in.PFC.Reason == "the neighbour does not send it" && theirs.Version() == dcbx.NoVersion
		})
	}
}
