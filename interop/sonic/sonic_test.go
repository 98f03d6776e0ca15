// Package sonic judges what cellwarden renders and pushes by running programs of SONiC: a virtual or real switch, or
// parts of one. Name them, and run it where losing traffic does no harm:
//
//	CELLWARDEN_SONIC_GNMI=10.0.0.1:50051      the gNMI server
//	CELLWARDEN_SONIC_REDIS=10.0.0.1:6379      a Redis with CONFIG_DB, APPL_DB, ASIC_DB and COUNTERS_DB, or its socket
//	CELLWARDEN_SONIC_TOPOLOGY=leaf.yaml       the plan of its ports
//	CELLWARDEN_SONIC_CABLES=longer.yaml       the same plan with other cables; optional
//	CELLWARDEN_SONIC_FLAGS="--tls-ca ca.pem"  how cellwarden reaches the server; default: --insecure
//	CELLWARDEN_SONIC_RELEASE=202511           of the switch, for the patches; default: not known
//	CELLWARDEN_SONIC_RESTART="ssh leaf1 ..."  a command that restarts the switch; optional
//	CELLWARDEN_SONIC_QUIET=5s                 how long nothing changes before it is judged; default: 5s
//
// Without them it judges the switch of package sonicfake with a redis-server behind it, and is skipped if that is not
// installed.
package sonic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/topology"
)

// lab is a switch and what is known of it.
type lab struct {
	gnmi      string
	redis     *redis
	program   string   // cellwarden
	flags     []string // of the connection
	plan      string   // a file
	cables    string   // a file; empty: none
	restart   func()   // nil: it cannot be
	quiet     time.Duration
	pretended bool // it is the switch of package sonicfake
}

func newLab(t *testing.T) *lab {
	l := &lab{gnmi: os.Getenv("CELLWARDEN_SONIC_GNMI"), plan: os.Getenv("CELLWARDEN_SONIC_TOPOLOGY"),
		cables: os.Getenv("CELLWARDEN_SONIC_CABLES"), flags: strings.Fields(os.Getenv("CELLWARDEN_SONIC_FLAGS")),
		quiet: 5 * time.Second}
	address := os.Getenv("CELLWARDEN_SONIC_REDIS")
	if l.gnmi == "" {
		l.pretend(t)
		return l
	}
	if address == "" || l.plan == "" {
		t.Skip("CELLWARDEN_SONIC_GNMI names a switch: want CELLWARDEN_SONIC_REDIS and CELLWARDEN_SONIC_TOPOLOGY, too")
	}
	var err error
	l.redis, err = connect(address)
	require.NoError(t, err, "CELLWARDEN_SONIC_REDIS")
	if len(l.flags) == 0 {
		l.flags = []string{"--insecure"}
	}
	if text := os.Getenv("CELLWARDEN_SONIC_QUIET"); text != "" {
		l.quiet, err = time.ParseDuration(text)
		require.NoError(t, err, "CELLWARDEN_SONIC_QUIET")
	}
	if text := os.Getenv("CELLWARDEN_SONIC_RESTART"); text != "" {
		l.restart = func() {
			out, err := exec.CommandContext(t.Context(), "sh", "-c", text).CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
	}
	return l
}

// pretend makes the lab of the switch of package sonicfake.
func (l *lab) pretend(t *testing.T) {
	socket := startRedis(t)
	var err error
	l.redis, err = connect(socket)
	require.NoError(t, err)
	f, address := startFake(t, socket)
	l.gnmi, l.restart, l.quiet, l.flags, l.pretended = address, f.boot, 300*time.Millisecond, []string{"--insecure"}, true
	for name, cable := range map[string]string{"leaf.yaml": "40m", "cables.yaml": "300m"} {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(leaf, "CABLE", cable, 1)), 0o600))
		if l.plan == "" || name == "leaf.yaml" {
			l.plan, l.cables = file, l.plan
		} else {
			l.cables = file
		}
	}
}

// run runs cellwarden.
func (l *lab) run(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), l.program, args...)
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Dir(l.program), "COLUMNS=1000")
	var both bytes.Buffer
	c.Stdout, c.Stderr = &both, &both
	var ended *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &ended) {
		require.NoError(t, err)
	}
	return c.ProcessState.ExitCode(), both.String()
}

// to is a verb with a plan and the switch.
func (l *lab) to(verb, plan string, more ...string) []string {
	return slices.Concat([]string{verb, plan, "--target", l.gnmi}, l.flags, more)
}

// settle waits until nothing in the databases changes for a while.
func (l *lab) settle(t *testing.T) {
	t.Helper()
	var before []hashes
	same := time.Now()
	for end := time.Now().Add(20*l.quiet + time.Minute); time.Since(same) < l.quiet; time.Sleep(l.quiet / 5) {
		require.True(t, time.Now().Before(end), "the databases do not settle")
		var now []hashes
		for db, pattern := range map[int]string{applDB: "BUFFER_*", asicDB: "*BUFFER_P*", configDB: "*"} {
			read, err := l.redis.read(db, pattern)
			require.NoError(t, err)
			now = append(now, hashes{strconv.Itoa(db): nil}, read)
		}
		slices.SortFunc(now, func(a, b hashes) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		if !reflect.DeepEqual(now, before) {
			before, same = now, time.Now()
		}
	}
}

// judge compares the values of a plan's lossless groups with APPL_DB and ASIC_DB, once nothing changes any more, and
// has drift compare CONFIG_DB.
func (l *lab) judge(t *testing.T, plan, after string) {
	t.Helper()
	l.settle(t)
	data, err := os.ReadFile(plan)
	require.NoError(t, err)
	in, err := topology.Parse(plan, data, os.ReadFile)
	require.NoError(t, err)
	planned, err := buffer.New(in)
	require.NoError(t, err)
	var databases [3]hashes
	for db, pattern := range map[int]string{applDB: "BUFFER_P*", asicDB: "ASIC_STATE:SAI_OBJECT_TYPE_*",
		countersDB: "COUNTERS_P*_NAME_MAP"} {
		databases[db], err = l.redis.read(db, pattern)
		require.NoError(t, err)
	}
	values := 0
	for _, p := range in.Ports {
		values++
		id := databases[countersDB]["COUNTERS_PORT_NAME_MAP"][p.Name]
		text := databases[asicDB]["ASIC_STATE:SAI_OBJECT_TYPE_PORT:"+id]["SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL"]
		want := 0
		for group := range 8 {
			want |= int(planned.Layout().Value(buffer.Register{Kind: buffer.GroupLossless, Port: p.Name, Index: group})) << group
		}
		if has, err := strconv.Atoi(text); err != nil || has != want {
			t.Errorf("after %s: PFC of %s is of priorities %#b: ASIC_DB, object %s, has %q", after, p.Name, want, id, text)
		}
	}
	for _, s := range planned.Layout() {
		group := s.Register
		if group.Kind = buffer.GroupLossless; planned.Layout().Value(group) != 1 || checked[s.Kind].appl == "" {
			continue
		}
		for where, text := range l.found(databases, s.Register) {
			values++
			n, err := strconv.ParseInt(text, 10, 64)
			if s.Kind != buffer.GroupAlpha { // a size in bytes, of which the chip makes cells
				n = (n + int64(in.Chip.Cell) - 1) / int64(in.Chip.Cell)
			}
			if err != nil || n != s.Value {
				t.Errorf("after %s: %v: %s has %q", after, s, where, text)
			}
		}
	}
	require.Positive(t, values, "the plan has lossless groups")
	code, out := l.run(t, l.to("drift", plan)...)
	require.Zero(t, code, "after %s: %s", after, out)
	t.Logf("after %s: %d values of APPL_DB and ASIC_DB are the plan's, and drift finds no difference", after, values)
}

// checked are the fields of a buffer profile by kind of register.
var checked = map[buffer.Kind]struct{ appl, asic string }{
	buffer.GroupReserved:  {"size", "SAI_BUFFER_PROFILE_ATTR_RESERVED_BUFFER_SIZE"},
	buffer.GroupHeadroom:  {"xoff", "SAI_BUFFER_PROFILE_ATTR_XOFF_TH"},
	buffer.GroupAlpha:     {"dynamic_th", "SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH"},
	buffer.GroupXONOffset: {"xon_offset", "SAI_BUFFER_PROFILE_ATTR_XON_OFFSET_TH"},
}

// found is the value of a register of a group in APPL_DB and ASIC_DB.
func (l *lab) found(databases [3]hashes, r buffer.Register) map[string]string {
	fields := checked[r.Kind]
	profile := ""
	for key, e := range databases[applDB] {
		if rest, is := strings.CutPrefix(key, "BUFFER_PG_TABLE:"+r.Port+":"); is && covers(rest, r.Index) {
			profile = e["profile"]
		}
	}
	const state = "ASIC_STATE:SAI_OBJECT_TYPE_"
	id := databases[countersDB]["COUNTERS_PG_NAME_MAP"][r.Port+":"+strconv.Itoa(r.Index)]
	object := databases[asicDB][state+"INGRESS_PRIORITY_GROUP:"+id]["SAI_INGRESS_PRIORITY_GROUP_ATTR_BUFFER_PROFILE"]
	return map[string]string{
		"APPL_DB, profile " + profile: databases[applDB]["BUFFER_PROFILE_TABLE:"+profile][fields.appl],
		"ASIC_DB, object " + object:   databases[asicDB][state+"BUFFER_PROFILE:"+object][fields.asic],
	}
}

// covers tells whether a group is in "3" or "3-4".
func covers(span string, group int) bool {
	first, last, is := strings.Cut(span, "-")
	if !is {
		last = first
	}
	from, err := strconv.Atoi(first)
	to, bad := strconv.Atoi(last)
	return err == nil && bad == nil && from <= group && group <= to
}

// field writes a field of CONFIG_DB, as another client does.
func (l *lab) field(t *testing.T, key, name, value string) {
	t.Helper()
	for _, command := range [][]string{{"SELECT", strconv.Itoa(configDB)}, {"HSET", key, name, value}} {
		_, err := l.redis.do(command...)
		require.NoError(t, err)
	}
}

// config is CONFIG_DB.
func (l *lab) config(t *testing.T) hashes {
	t.Helper()
	out, err := l.redis.read(configDB, "*")
	require.NoError(t, err)
	return out
}

// boots merges the rendered configuration into CONFIG_DB and restarts the switch, which then has the plan. After it the
// switch has its own configuration again.
func (l *lab) boots(t *testing.T, first hashes) {
	t.Helper()
	dir, _ := l.rendered(t, document(first))
	data, err := os.ReadFile(filepath.Join(dir, "config_db.json"))
	require.NoError(t, err)
	var whole map[string]hashes
	require.NoError(t, json.Unmarshal(data, &whole))
	merged := maps.Clone(first)
	for table, entries := range whole {
		for key, fields := range entries {
			name := table + "|" + key
			merged[name] = maps.Clone(merged[name])
			if merged[name] == nil {
				merged[name] = map[string]string{}
			}
			maps.Copy(merged[name], fields)
		}
	}
	require.NoError(t, l.redis.write(configDB, l.config(t), merged))
	l.restart()
	l.judge(t, l.plan, "a start with the rendered configuration")
	for range 2 { // the buffer manager acts on what is taken away until it has started again
		require.NoError(t, l.redis.write(configDB, l.config(t), first))
		l.restart()
		l.settle(t)
	}
}

// The switch starts with a plan, takes it while it runs, keeps it while ports go down and up and when it restarts,
// takes other cables, and has the values from before when that push is undone. A change by another client is found. Its
// counters are read.
func TestSwitch(t *testing.T) {
	l := newLab(t)
	notify, err := l.redis.do("CONFIG", "GET", "notify-keyspace-events")
	require.NoError(t, err)
	for _, class := range "AKE" {
		require.Contains(t, fmt.Sprint(notify), string(class),
			"Redis has to notify of keys: redis-cli config set notify-keyspace-events AKE. Without it nothing on the switch "+
				"acts on a change, and it would seem to keep everything")
	}
	l.program = effort.Command(t, filepath.Join("..", ".."), "./cmd/cellwarden")
	first := l.config(t)
	if !l.pretended {
		t.Cleanup(func() { require.NoError(t, l.redis.write(configDB, l.config(t), first)) })
	}

	if l.restart != nil {
		l.boots(t, first)
	} else {
		t.Log("not judged: a start with the rendered configuration (CELLWARDEN_SONIC_RESTART)")
	}
	operations, patched := l.patches(t)
	allow := []string{"--allow-disruption", "port", "--journal", filepath.Join(t.TempDir(), "first")}
	code, said := l.run(t, l.to("apply", l.plan, allow...)...)
	require.Zero(t, code, said)
	l.judge(t, l.plan, "the push")
	l.pushedAsPatched(t, operations, patched)

	var ports []string
	for key := range first {
		if port, is := strings.CutPrefix(key, "PORT|"); is && first[key]["admin_status"] == "up" {
			ports = append(ports, key)
			l.field(t, key, "admin_status", "down")
			l.settle(t)
			l.field(t, key, "admin_status", "up")
			l.judge(t, l.plan, port+" down and up")
		}
	}
	for _, status := range []string{"down", "up"} {
		for _, key := range ports {
			l.field(t, key, "admin_status", status)
		}
		l.settle(t)
	}
	l.judge(t, l.plan, "all ports down and up")
	if l.restart != nil {
		l.restart()
		l.judge(t, l.plan, "a restart")
	} else {
		t.Log("not judged: a restart (CELLWARDEN_SONIC_RESTART)")
	}
	if l.cables != "" {
		before, journal := l.config(t), filepath.Join(t.TempDir(), "cables")
		code, said = l.run(t, l.to("apply", l.cables, "--allow-disruption", "port", "--journal", journal)...)
		require.Zero(t, code, said)
		l.judge(t, l.cables, "other cables")
		code, said = l.run(t, append([]string{"resume", journal, "--undo"}, l.flags...)...)
		require.Zero(t, code, said)
		l.judge(t, l.plan, "the undoing")
		require.Equal(t, before, l.config(t), "CONFIG_DB after the undoing")
	}
	l.drifted(t)
	code, said = l.run(t, l.to("watch", l.plan, "--interval", "0s")...)
	require.Contains(t, []int{0, 4}, code, "the counters of a group are known: %s", said)
	t.Log(strings.SplitN(said, "\n", 2)[0])
}

// drifted has drift --watch report a cable that another client changes.
func (l *lab) drifted(t *testing.T) {
	t.Helper()
	now := l.config(t)
	for _, list := range slices.Sorted(maps.Keys(now)) {
		if !strings.HasPrefix(list, "CABLE_LENGTH|") {
			continue
		}
		port := slices.Sorted(maps.Keys(now[list]))[0]
		ended := make(chan string, 1)
		go func() {
			code, said := l.run(t, l.to("drift", l.plan, "--watch")...)
			ended <- fmt.Sprint(code, " ", said)
		}()
		time.Sleep(5 * l.quiet) // until it watches
		l.field(t, list, port, "77m")
		select {
		case said := <-ended:
			require.Regexp(t, `(?s)^5 .*CABLE_LENGTH.*`+port+`.*77m`, said)
		case <-time.After(time.Minute):
			t.Fatal("drift --watch does not see that another client changed a cable")
		}
		l.field(t, list, port, now[list][port])
		l.judge(t, l.plan, "a change by another client that is taken back")
		return
	}
}
