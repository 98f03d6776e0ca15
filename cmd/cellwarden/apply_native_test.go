package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/smallswitch"
	"github.com/cellwarden/cellwarden/report"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// leaf is a topology of two ports for a SONiC switch.
func leaf(t *testing.T, cable string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "leaf.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`chip: tomahawk
headroom: {method: ieee802.1qbb}
pool: {size: 12509696B, shared_headroom: 4194112B}
classes:
  - {name: rdma, priorities: [3, 4], lossless: true, reserved: 1248B, alpha: 1/8, mtu: 4096B, ecn: {kmin: 250000B, kmax: 1048576B, pmax: 5%}}
  - {name: best-effort, priorities: [0, 1, 2, 5, 6, 7], lossless: false, alpha: 8}
ports:
  - {name: Ethernet0, speed: 100G, cable: `+cable+`, mtu: 9216B}
  - {name: Ethernet4, speed: 100G, cable: `+cable+`, mtu: 9216B}
`), 0o600))
	return file
}

// sonicDevice is a SONiC switch as it comes, but that its pool is what the topology wants.
func sonicDevice() *sonicfake.Switch {
	s := sonicfake.New(sonicfake.DB{
		"DEVICE_METADATA": {"localhost": {"hwsku": "Force10-S6100"}},
		"PORT":            {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "12509696",
			"xoff": "4194112"}},
		"BUFFER_PROFILE": {"egress_lossless_profile": {"pool": "ingress_lossless_pool", "size": "0",
			"static_th": "15982720"}},
		"CABLE_LENGTH":             {"AZURE": {"Ethernet0": "5m", "Ethernet4": "5m"}},
		"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0"}},
		"PORT_QOS_MAP":             {"Ethernet0": {"tc_to_pg_map": "AZURE"}, "Ethernet4": {"tc_to_pg_map": "AZURE"}},
	})
	s.ASIC, s.Version = "th", "SONiC.20251110.17"
	return s
}

// sonicSwitch serves one.
func sonicSwitch(t *testing.T) (*sonicfake.Switch, string) {
	t.Helper()
	s := sonicDevice()
	server := grpc.NewServer()
	gpb.RegisterGNMIServer(server, s)
	return s, smallswitch.At(t, server)
}

// Plain apply brings a plan to a SONiC switch: its profile is found, and there are no other words.
func TestApplyToSONiC(t *testing.T) {
	s, address := sonicSwitch(t)
	file := leaf(t, "40m")
	to := []string{"apply", file, "--target", address, "--insecure"}
	code, out, bad := cellwarden(t, append(to, "--dry-run")...)
	require.Zero(t, code, bad)
	require.Contains(t, out, "dry run: nothing was sent; 13 values would change")
	require.Contains(t, out, "version SONiC.20251110.17")
	require.Regexp(t, `/CONFIG_DB/localhost/CABLE_LENGTH/AZURE/Ethernet0 +none +"5m" +"40m"`, out)
	require.Contains(t, out, "are computed for th and 202511")
	require.Zero(t, s.Sets())

	code, _, bad = cellwarden(t, to...)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "may stop the traffic of: port; allowed: none (--allow-disruption)")
	require.Zero(t, s.Sets())

	journal := filepath.Join(t.TempDir(), "journal")
	to = append(to, "--allow-disruption", "port")
	code, out, bad = cellwarden(t, append(to, "--journal", journal)...)
	require.Zero(t, code, bad+out)
	require.Contains(t, out, ": applied\n  13 values changed, read back and found equal")
	require.True(t, strings.HasSuffix(out, "everything that the lossless groups need is on the switch or is sent\n"), out)
	require.Equal(t, "3,4", s.Config()["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"])
	lines := records(t, journal)
	require.Equal(t, []string{"start", "send", "sent", "end"}, kinds(lines))
	require.Len(t, lines[0].Changes, 13)
	require.Equal(t, "applied", lines[3].State)
	code, out, bad = cellwarden(t, "resume", journal, "--insecure")
	require.Zero(t, code, bad)
	require.Contains(t, out, ": unchanged\n  nothing remains to be done: the values of the push are as planned; nothing "+
		"was sent")

	code, out, bad = cellwarden(t, append(to, "-o", "json", "--strict")...)
	require.Zero(t, code, bad)
	var doc report.ApplyDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Equal(t, "unchanged", doc.State)
	require.True(t, doc.Lossless)
	require.Empty(t, doc.Native.Changes)
	require.Equal(t, 1, s.Sets())
}

// A SONiC server that does not take a push is not changed, and the advice says by which of its flags.
func TestApplyToSONiCThatIsNotWritten(t *testing.T) {
	for name, test := range map[string]struct {
		with func(*sonicfake.Switch)
		says string
	}{
		"read-only":    {func(s *sonicfake.Switch) { s.ReadOnly = true }, "with its flag -gnmi_native_write"},
		"models alone": {func(s *sonicfake.Switch) { s.OnlyModels = true }, "with its flag -gnmi_native_write"},
		"blocked": {func(s *sonicfake.Switch) { s.Blocked = []string{"CONFIG_DB /BUFFER_PG"} },
			"from the file of its flag -paths_blacklist"},
	} {
		t.Run(name, func(t *testing.T) {
			s, address := sonicSwitch(t)
			test.with(s)
			before := s.Config()
			code, out, bad := cellwarden(t, "apply", leaf(t, "40m"), "--target", address, "--insecure", "--allow-disruption",
				"port", "--journal", "off")
			require.Equal(t, cli.ExitFailure, code, out)
			require.Contains(t, strings.Join(strings.Fields(bad), " "), test.says)
			require.NotContains(t, bad, "--username")
			require.Equal(t, before, s.Config())
		})
	}
}

// What takes a reload is told, not sent; --strict sends nothing at all.
func TestApplyToSONiCWithAReload(t *testing.T) {
	s, address := sonicSwitch(t)
	db := s.Config()
	db["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "5"
	s.Load(db)
	to := []string{"apply", leaf(t, "40m"), "--target", address, "--insecure", "--allow-disruption", "port"}
	code, out, _ := cellwarden(t, append(to, "--strict")...)
	require.Equal(t, cli.ExitGaps, code)
	require.Contains(t, out, "nothing was sent")
	require.Zero(t, s.Sets())
	code, out, bad := cellwarden(t, to...)
	require.Zero(t, code, bad)
	require.Contains(t, out, "the updater accepts no change of a pool")
	last := strings.Split(strings.TrimSpace(out), "\n")
	require.Contains(t, last[len(last)-1], "NOT LOSSLESS BEFORE A RELOAD: 1 value that the lossless groups need is not sent")
	require.Equal(t, "5", s.Config()["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"])
}

// The exit code tells how the switch was left.
func TestApplyToSONiCThatFails(t *testing.T) {
	for _, c := range []struct {
		fault func(*sonicfake.Arrived) error
		code  int
		says  string
	}{
		{func(*sonicfake.Arrived) error { return errors.New("no") }, cli.ExitFailure, "holds the previous values"},
		{func(a *sonicfake.Arrived) error {
			if err := a.Make(); err != nil || a.N > 1 {
				return err
			}
			return errors.New("still some parts not updated")
		}, cli.ExitRolledBack, "the changes were undone"},
		{func(a *sonicfake.Arrived) error {
			if a.N == 1 {
				a.Half()
			}
			return errors.New("broken")
		}, cli.ExitPartial, "the device holds neither the plan nor the previous values"},
	} {
		s, address := sonicSwitch(t)
		s.Fault = c.fault
		journal := filepath.Join(t.TempDir(), "journal")
		code, out, bad := cellwarden(t, "apply", leaf(t, "40m"), "--target", address, "--insecure", "--allow-disruption",
			"port", "--journal", journal, "--retries", "0")
		require.Equal(t, c.code, code, bad)
		require.Contains(t, out, c.says)
		lines := records(t, journal)
		require.NotEmpty(t, lines[len(lines)-1].Error)
	}
}

// Many switches, of which one is SONiC.
func TestApplyToManyOfWhichOneIsSONiC(t *testing.T) {
	s, address := sonicSwitch(t)
	other := serve(t, "--chip", "tomahawk")
	list := filepath.Join(t.TempDir(), "switches")
	require.NoError(t, os.WriteFile(list, []byte(address+"\n"+other+"\n"), 0o600))
	code, out, bad := cellwarden(t, "apply", leaf(t, "40m"), "--targets", list, "--insecure", "--allow-disruption", "port")
	require.Zero(t, code, bad+out)
	require.Contains(t, out, "2 switches: 2 applied")
	require.Equal(t, 1, s.Sets())
}

func records(t *testing.T, file string) []journal.Record {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var out []journal.Record
	for line := range strings.Lines(string(data)) {
		var r journal.Record
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		require.Equal(t, "cellwarden.journal-native/v2", r.Schema)
		out = append(out, r)
	}
	return out
}

func kinds(lines []journal.Record) []string {
	var out []string
	for _, l := range lines {
		out = append(out, string(l.Kind))
	}
	return out
}

// What the buffer manager of a switch would drop is refused with --strict, and said without
// it: by apply and by drift, whatever CONFIG_DB holds.
func TestWhatTheBufferManagerDrops(t *testing.T) {
	s, address := sonicSwitch(t)
	s.ASIC = "spc1"
	db := s.Config()
	db["DEVICE_METADATA"]["localhost"] = map[string]string{"hwsku": "ACS-MSN2700", "buffer_model": "dynamic"}
	delete(db["BUFFER_POOL"]["ingress_lossless_pool"], "size")
	delete(db["BUFFER_POOL"]["ingress_lossless_pool"], "xoff")
	s.Load(db)
	file := filepath.Join(t.TempDir(), "nvidia.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`chip: spectrum-1
headroom: {method: sonic-dynamic}
classes: [{name: rdma, priorities: [3, 4], lossless: true, mtu: 1024B}]
ports: [{name: Ethernet0, speed: 100G, cable: 40m, mtu: 9100B}]
`), 0o600))
	args := []string{"apply", file, "--target", address, "--insecure", "--allow-disruption", "port", "--journal", "off",
		"--sonic-max-headroom", "100KiB"}
	const dropped = "groups of Ethernet0: the manager drops them: the headroom of the port exceeds max_headroom_size, 102400B"
	code, out, bad := cellwarden(t, append(args, "--strict")...)
	require.Equal(t, cli.ExitGaps, code, bad)
	require.Contains(t, out, "NOT KNOWN TO STAY LOSSLESS: "+dropped)
	require.Zero(t, s.Sets())
	code, out, bad = cellwarden(t, append(args, "-o", "json")...)
	require.Zero(t, code, bad)
	var doc report.ApplyDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.False(t, doc.Lossless)
	require.Len(t, doc.Native.Undone, 1)
	code, out, bad = cellwarden(t, "drift", file, "--target", address, "--insecure", "--sonic-max-headroom", "100KiB")
	require.Zero(t, code, bad)
	require.Contains(t, out, "may not stay: "+dropped)
	code, out, bad = cellwarden(t, "drift", file, "--target", address, "--insecure", "--sonic-max-headroom", "1MiB")
	require.Zero(t, code, bad)
	require.NotContains(t, out, "may not stay")
}

// The dynamic manager gives each pool without a size what is left of the memory, and half of it unless exactly one
// ingress pool has none. The note says which pools these are; where all have a size, nothing is computed.
func TestPoolsThatTheManagerComputes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nvidia.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`chip: spectrum-1
headroom: {method: sonic-dynamic}
classes: [{name: rdma, priorities: [3, 4], lossless: true, mtu: 1024B}]
ports: [{name: Ethernet0, speed: 100G, cable: 40m, mtu: 9100B}]
`), 0o600))
	for name, test := range map[string]struct {
		ingress, egress string
		says            string // none: nothing
	}{
		"one ingress pool": {"", "1000",
			`the manager computes \d+B for 1 ingress pool without a size \(by its formula\); the`},
		"an egress pool, too": {"", "",
			`the manager computes \d+B for 1 ingress pool and 1 egress pool without a size, for each ` +
				`\(by its formula\); the`},
		"an egress pool alone": {"1000", "", `the manager computes \d+B for 1 egress pool without a size \(by its formula, ` +
			`half of what is left: it gives all of it only where one ingress pool has no size\)$`},
		"none": {"1000", "1000", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, address := sonicSwitch(t)
			s.ASIC = "spc1"
			db := s.Config()
			db["DEVICE_METADATA"]["localhost"] = map[string]string{"hwsku": "ACS-MSN2700", "buffer_model": "dynamic"}
			db["BUFFER_POOL"] = map[string]map[string]string{
				"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"},
				"egress_lossy_pool":     {"type": "egress", "mode": "dynamic"},
			}
			for pool, size := range map[string]string{"ingress_lossless_pool": test.ingress, "egress_lossy_pool": test.egress} {
				if size != "" {
					db["BUFFER_POOL"][pool]["size"] = size
				}
			}
			s.Load(db)
			_, out, bad := cellwarden(t, "apply", file, "--target", address, "--insecure", "--dry-run")
			require.Contains(t, out, "note: SONiC's buffer manager (dynamic)", bad)
			if test.says == "" {
				require.NotContains(t, out, "the manager computes ")
				return
			}
			require.Regexp(t, "(?m)^note: "+test.says, out)
		})
	}
}
