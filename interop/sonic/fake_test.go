package sonic

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// fake is a switch of package sonicfake whose databases are those of a Redis: what is written there by others reaches
// its buffer manager by notifications of keys, as on a switch.
type fake struct {
	*sonicfake.Switch
	mu        sync.Mutex
	redis     *redis
	has       hashes // CONFIG_DB as it was written
	appl, sai hashes
	t         *testing.T
}

// leaf is the fake's topology with a cable of one length.
const leaf = `chip: tomahawk
headroom: {method: ieee802.1qbb}
pool: {size: 12509696B, shared_headroom: 4194112B}
classes:
  - {name: rdma, priorities: [3, 4], lossless: true, reserved: 1248B, alpha: 1/8, mtu: 4096B}
  - {name: best-effort, priorities: [0, 1, 2, 5, 6, 7], lossless: false, alpha: 8}
ports:
  - {name: Ethernet0, speed: 100G, cable: 40m, mtu: 9216B}
  - {name: Ethernet4, speed: 100G, cable: CABLE, mtu: 9216B}
`

// startRedis starts a redis-server on a socket of its own, which ends with the test.
func startRedis(t *testing.T) string {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("CELLWARDEN_SONIC_GNMI names no switch, and redis-server, for the switch of package sonicfake, is not " +
			"installed")
	}
	dir, err := os.MkdirTemp("", "cw") // the path of a socket is short
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	socket := filepath.Join(dir, "redis.sock")
	server := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no",
		"--dir", dir, "--notify-keyspace-events", "AKE")
	require.NoError(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	require.Eventually(t, func() bool {
		r, err := connect(socket)
		if err == nil {
			_ = r.conn.Close()
		}
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	return socket
}

// startFake serves the fake.
func startFake(t *testing.T, socket string) (*fake, string) {
	s := sonicfake.New(sonicfake.DB{
		"DEVICE_METADATA": {"localhost": {"hwsku": "Force10-S6100", "buffer_model": "traditional"}},
		"PORT": {"Ethernet0": {"speed": "100000", "admin_status": "up", "alias": "Ethernet1/1"},
			"Ethernet4": {"speed": "100000", "admin_status": "up", "alias": "Ethernet1/2"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "12509696",
			"xoff": "4194112"}},
		"BUFFER_PROFILE": {"egress_lossless_profile": {"pool": "ingress_lossless_pool", "size": "0",
			"static_th": "15982720"}},
		"CABLE_LENGTH":             {"AZURE": {"Ethernet0": "5m", "Ethernet4": "5m"}},
		"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0"}},
		"PORT_QOS_MAP":             {"Ethernet0": {"tc_to_pg_map": "AZURE"}, "Ethernet4": {"tc_to_pg_map": "AZURE"}},
	})
	s.ASIC, s.Version = "th", "SONiC.20251110.17"
	s.Manager = &sonicfake.Manager{Vendor: "broadcom", Rows: map[[2]string]sonicfake.Row{
		{"100000", "5m"}:   {Size: "1248", XON: "2288", XOFF: "165568", Threshold: "-3", XONOffset: "2288"},
		{"100000", "40m"}:  {Size: "1248", XON: "2288", XOFF: "177632", Threshold: "-3", XONOffset: "2288"},
		{"100000", "300m"}: {Size: "1248", XON: "2288", XOFF: "268736", Threshold: "-3", XONOffset: "2288"},
	}}
	f := &fake{Switch: s, t: t}
	var err error
	f.redis, err = connect(socket)
	require.NoError(t, err)
	names := hashes{"COUNTERS_PORT_NAME_MAP": {}, "COUNTERS_PG_NAME_MAP": {}}
	for i, port := range []string{"Ethernet0", "Ethernet4"} {
		names["COUNTERS_PORT_NAME_MAP"][port] = fmt.Sprintf("oid:0x100000000000%d", i)
		names[fmt.Sprintf("COUNTERS:oid:0x100000000000%d", i)] = map[string]string{"SAI_PORT_STAT_PFC_3_TX_PKTS": "7"}
		for group := range 8 {
			id := fmt.Sprintf("oid:0x1a0000000000%d%d", i, group)
			names["COUNTERS_PG_NAME_MAP"][fmt.Sprintf("%s:%d", port, group)] = id
			names["PERIODIC_WATERMARKS:"+id] = map[string]string{
				"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES": "9216"}
		}
	}
	require.NoError(t, f.redis.write(countersDB, nil, names))
	f.boot()
	news, err := connect(socket)
	require.NoError(t, err)
	_, err = news.do("PSUBSCRIBE", fmt.Sprintf("__keyspace@%d__:*", configDB))
	require.NoError(t, err)
	go f.follow(news)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	gpb.RegisterGNMIServer(server, f)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Stop(); _ = news.conn.Close() })
	return f, listener.Addr().String()
}

// boot restarts the switch with what Redis has.
func (f *fake) boot() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.has != nil { // it has written what it comes with
		f.hear()
	}
	f.Boot()
	f.tell()
}

// follow has the switch read CONFIG_DB after each notification.
func (f *fake) follow(news *redis) {
	for {
		if _, err := news.answer(); err != nil {
			return
		}
		f.mu.Lock()
		f.hear()
		f.mu.Unlock()
	}
}

// hear has the switch read what others have written to CONFIG_DB. The buffer manager acts on it.
func (f *fake) hear() {
	now, err := f.redis.read(configDB, "*")
	if err != nil || reflect.DeepEqual(now, f.has) {
		return
	}
	db := sonicfake.DB{}
	for key, fields := range now {
		table, name, _ := strings.Cut(key, "|")
		if db[table] == nil {
			db[table] = map[string]map[string]string{}
		}
		db[table][name] = maps.Clone(fields)
	}
	f.has = now
	f.Load(db)
	for _, port := range slices.Sorted(maps.Keys(db["PORT"])) {
		f.SetPort(port, "admin_status", db["PORT"][port]["admin_status"])
	}
	f.tell()
}

// tell writes what the switch has to the databases.
func (f *fake) tell() {
	has := hashes{}
	for table, entries := range f.Config() {
		for name, fields := range entries {
			has[table+"|"+name] = fields
		}
	}
	appl, sai := hashes{}, hashes{}
	applied := f.Applied()
	ids := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(applied["BUFFER_PROFILE"])) {
		e := applied["BUFFER_PROFILE"][name]
		appl["BUFFER_PROFILE_TABLE:"+name] = e
		ids[name] = fmt.Sprintf("oid:0x19%010x", i+1)
		sai["ASIC_STATE:SAI_OBJECT_TYPE_BUFFER_PROFILE:"+ids[name]] = map[string]string{
			"SAI_BUFFER_PROFILE_ATTR_RESERVED_BUFFER_SIZE": e["size"], "SAI_BUFFER_PROFILE_ATTR_XOFF_TH": e["xoff"],
			"SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH": e["dynamic_th"],
			"SAI_BUFFER_PROFILE_ATTR_XON_OFFSET_TH":     e["xon_offset"]}
	}
	oids, err := f.redis.read(countersDB, "COUNTERS_P*_NAME_MAP")
	for port, e := range f.Config()["PORT_QOS_MAP"] {
		mask := 0
		for group := range 8 {
			if strings.Contains(e["pfc_enable"], strconv.Itoa(group)) {
				mask |= 1 << group
			}
		}
		sai["ASIC_STATE:SAI_OBJECT_TYPE_PORT:"+oids["COUNTERS_PORT_NAME_MAP"][port]] = map[string]string{
			"SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL": strconv.Itoa(mask)}
	}
	for key, e := range applied["BUFFER_PG"] {
		appl["BUFFER_PG_TABLE:"+strings.Replace(key, "|", ":", 1)] = e
		port, span, _ := strings.Cut(key, "|")
		for group := range 8 {
			if covers(span, group) {
				oid := oids["COUNTERS_PG_NAME_MAP"][fmt.Sprintf("%s:%d", port, group)]
				sai["ASIC_STATE:SAI_OBJECT_TYPE_INGRESS_PRIORITY_GROUP:"+oid] = map[string]string{
					"SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE": ids[e["profile"]]}
			}
		}
	}
	for _, w := range []struct {
		db            int
		before, after hashes
	}{{applDB, f.appl, appl}, {asicDB, f.sai, sai}, {configDB, f.has, has}} {
		if failed := f.redis.write(w.db, w.before, w.after); err != nil || failed != nil {
			f.t.Errorf("writing to Redis: %v, %v", err, failed)
		}
	}
	f.has, f.appl, f.sai = has, appl, sai
}

// Get reads what Redis has.
func (f *fake) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hear()
	if req.GetPrefix().GetTarget() == "COUNTERS_DB" {
		all, err := f.redis.read(countersDB, "*")
		if err != nil {
			return nil, err
		}
		for key, fields := range all {
			for field, value := range fields {
				f.Count(key, field, value)
			}
		}
	}
	return f.Switch.Get(ctx, req)
}

// Set changes what Redis has.
func (f *fake) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hear()
	answer, err := f.Switch.Set(ctx, req)
	f.tell()
	return answer, err
}
