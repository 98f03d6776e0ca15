package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
	"github.com/cellwarden/cellwarden/report"
)

// manySwitches is a fabric of 60 simulated switches that this process serves, 40 leaves and 20 spines, each with a
// fault if a test says so.
type manySwitches struct {
	dir string

	mu    sync.Mutex
	fault map[string]string // by name: refuses, silent, later, drops
	sent  map[string]int    // Sets
	// probes are Capabilities: each look at a switch begins with one.
	probes map[string]int
	at     func(name string) // at each Set, before it is made; nil: nothing
}

// one is one of them.
type one struct {
	*manySwitches
	name string
}

// Count has the drops of a switch whose fault they are, after its next Set.
func (o one) Count(context.Context) (c server.Counts, _ error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, port := range []string{"Ethernet1", "Ethernet2", "Ethernet3", "Ethernet4"} {
		for _, group := range []int{3, 4} {
			q := server.QueueCount{Port: port, Queue: group, Input: true}
			if o.fault[o.name] == "drops" && o.sent[o.name] > 0 {
				q.Dropped = 5
			}
			c.Queues = append(c.Queues, q)
		}
		c.Ports = append(c.Ports, server.PortCount{Port: port})
	}
	return c, nil
}

// intercept plays the fault of a switch.
func (o one) intercept(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	r, set := req.(*gnmi.SetRequest)
	set = set && len(r.GetUpdate())+len(r.GetReplace())+len(r.GetUnionReplace())+len(r.GetDelete()) > 0
	o.mu.Lock()
	fault, at := o.fault[o.name], o.at
	o.mu.Unlock()
	if set {
		if at != nil {
			at(o.name)
		}
		if fault == "refuses" {
			return nil, status.Error(codes.FailedPrecondition, "not now")
		}
	}
	if _, probe := req.(*gnmi.CapabilityRequest); probe {
		o.mu.Lock()
		o.probes[o.name]++
		o.mu.Unlock()
	}
	if o.sets() > 0 && fault == "silent" || fault == "later" && o.probed() > 6 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	answer, err := next(ctx, req)
	if set {
		o.mu.Lock()
		o.sent[o.name]++
		o.mu.Unlock()
	}
	return answer, err
}

// sets is how many Sets the switch had.
func (o one) sets() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent[o.name]
}

// probed is how often the switch was asked what it is.
func (o one) probed() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.probes[o.name]
}

// faults sets the faults, and counts Sets from 0.
func (m *manySwitches) faults(fault map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault, m.sent, m.probes = fault, map[string]int{}, map[string]int{}
}

// serveMany serves the switches and writes their fabric in three forms: a, b with another alpha, and c with one more
// lossless priority than b.
func serveMany(t *testing.T) *manySwitches {
	m := &manySwitches{dir: t.TempDir(), fault: map[string]string{}, sent: map[string]int{}, probes: map[string]int{}}
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	var text strings.Builder
	text.WriteString("roles: {leaf: {rank: 0, topology: leaf-@.yaml}, spine: {rank: 1, topology: spine-@.yaml}}\nswitches:\n")
	for i := range 60 {
		role, name := "leaf", fmt.Sprintf("leaf%d", i)
		if i >= 40 {
			role, name = "spine", fmt.Sprintf("spine%d", i-40)
		}
		device, err := sim.New(chip)
		require.NoError(t, err)
		o := one{m, name}
		service, err := server.New(device, chip.Cell, server.Options{Counters: o})
		require.NoError(t, err)
		s := grpc.NewServer(grpc.UnaryInterceptor(o.intercept))
		service.Register(s)
		fmt.Fprintf(&text, "  - {name: %s, role: %s, target: %q}\n", name, role, smallswitch.At(t, s))
	}
	text.WriteString("cables:\n")
	for i := range 40 {
		for k := range 2 {
			fmt.Fprintf(&text, "  - {a: \"leaf%d:Ethernet%d\", b: \"spine%d:Ethernet%d\", length: 30m, speed: 100G}\n", i, k+1,
				(i+k)%20, 1+2*(i/20)+k)
		}
	}
	for form, class := range map[string]string{
		"a": "{name: rdma, priorities: [3], lossless: true, reserved: 1248B, alpha: 1}, {name: rest, priorities: [4]}",
		"b": "{name: rdma, priorities: [3], lossless: true, reserved: 1248B, alpha: 2}, {name: rest, priorities: [4]}",
		"c": "{name: rdma, priorities: [3, 4], lossless: true, reserved: 2496B, alpha: 2}"} {
		require.NoError(t, os.WriteFile(m.file(form), []byte(strings.ReplaceAll(text.String(), "@", form)), 0o600))
		for role, ports := range map[string]string{"leaf": "Ethernet1-2", "spine": "Ethernet1-4"} {
			require.NoError(t, os.WriteFile(filepath.Join(m.dir, role+"-"+form+".yaml"), []byte("chip: tomahawk\n"+
				"headroom: {method: ieee802.1qbb}\nclasses: ["+class+"]\nports: [{range: "+ports+"}]\n"), 0o600))
		}
	}
	return m
}

// file is the fabric in a form.
func (m *manySwitches) file(form string) string { return filepath.Join(m.dir, "fabric-"+form+".yaml") }

// wave are the arguments of a change from one form to another.
func (m *manySwitches) wave(from, to, state string) []string {
	return []string{"apply", m.file(to), "--before", m.file(from), "--state", filepath.Join(m.dir, state), "--insecure", "--soak",
		"1ms", "--retries", "0", "--timeout", "1m", "--set-timeout", "5s", "--rollback-after", "0"}
}

// setup gives every switch the first form by itself.
func (m *manySwitches) setup(t *testing.T) {
	for i := range 60 {
		name := fmt.Sprintf("leaf%d", i)
		if i >= 40 {
			name = fmt.Sprintf("spine%d", i-40)
		}
		code, _, bad := cellwarden(t, "apply", m.file("a")+":"+name, "--insecure", "--journal", "off")
		require.Zero(t, code, bad)
	}
}

// requireAll requires that every switch is as a form says.
func (m *manySwitches) requireAll(t *testing.T, form string) {
	t.Helper()
	code, out, bad := cellwarden(t, "drift", m.file(form), "--insecure")
	require.Zero(t, code, out+bad)
	require.Contains(t, out, "AS PLANNED AS FAR AS COMPARED on all 60 switches")
}

// A change of 60 switches in waves, whose pusher is killed in every wave and goes on, and whose switches refuse, fall
// silent and lose frames.
func TestWavesOfManySwitches(t *testing.T) {
	effort.SkipShort(t, "60 switches are changed several times")
	m := serveMany(t)
	parts := []struct {
		name string
		run  func(t *testing.T)
	}{{"killed in every wave", m.killed},
		{"refuses", func(t *testing.T) { m.failing(t, "refuses", "leaf12") }},
		{"drops", func(t *testing.T) { m.failing(t, "drops", "spine4") }},
		{"silent", m.silent}}
	first, end := effort.Seeds(uint64(len(parts)))
	for _, p := range parts[first:end] {
		t.Run(p.name, func(t *testing.T) {
			m.faults(nil)
			m.setup(t)
			p.run(t)
		})
	}
}

// killed brings form b to switches with form a. The pusher is a process of its own, which is killed at a Set of each
// wave.
func (m *manySwitches) killed(t *testing.T) {
	code, out, bad := cellwarden(t, "fabric", "waves", m.file("b"), "--before", m.file("a"), "-o", "json")
	require.Zero(t, code, bad)
	var doc report.FabricWavesDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Equal(t, "ready", doc.Verdict)
	require.Len(t, doc.Waves[0].Switches, 2)
	require.Empty(t, doc.Meanwhile)
	for n, w := range doc.Waves {
		victim := w.Switches[n%len(w.Switches)]
		push := pusher(t, m.wave("a", "b", "killed.json")...)
		var killing sync.Once
		m.mu.Lock()
		m.at = func(name string) {
			if name == victim {
				killing.Do(func() { _ = push.Process.Kill() })
			}
		}
		m.mu.Unlock()
		push.Stderr = nil
		require.Error(t, push.Run())
		require.Equal(t, -1, push.ProcessState.ExitCode(), "killed in wave %d", n+1)
	}
	m.faults(nil)
	m.mu.Lock()
	m.at = nil
	m.mu.Unlock()
	code, out, bad = cellwarden(t, m.wave("a", "b", "killed.json")...)
	require.Zero(t, code, out+bad)
	require.Contains(t, out, fmt.Sprintf("SUCCESSFUL: %d waves", len(doc.Waves)))
	require.Contains(t, out, "not sent to leaf0-39,spine0-19: ")
	m.requireAll(t, "b")
	// The state is of this change.
	code, _, bad = cellwarden(t, m.wave("b", "a", "killed.json")...)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "it is of another change")
}

// failing runs a change of which one switch fails: its wave is undone, and that wave alone.
func (m *manySwitches) failing(t *testing.T, fault, name string) {
	from, to := "a", "b"
	m.faults(map[string]string{name: fault})
	args := append(m.wave(from, to, fault+".json"), "-o", "json")
	code, out, bad := cellwarden(t, args...)
	require.Equal(t, cli.ExitRolledBack, code, out+bad)
	var doc report.FabricWavesDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Equal(t, "failed", doc.Verdict)
	require.Contains(t, doc.Why, name)
	require.Empty(t, doc.Left)
	m.faults(nil)
	// Switches of waves before it have the new form, all others the old one.
	past := false
	for _, w := range doc.Waves {
		here := slices.Contains(w.Switches, name)
		past = past || here
		require.Equal(t, map[bool]string{true: "undone", false: map[bool]string{true: "waiting", false: "checked"}[past]}[here],
			w.State)
		form := map[bool]string{true: from, false: to}[past]
		for _, s := range []string{w.Switches[0], w.Switches[len(w.Switches)-1]} {
			code, out, bad := cellwarden(t, "drift", m.file(form)+":"+s, "--insecure")
			require.Zero(t, code, "%s should have %s: %s", s, form, out+bad)
		}
	}
}

// silent adds a lossless priority in stages. A switch that answers no more stops the change, and every cable that link
// calls an error then is named.
func (m *manySwitches) silent(t *testing.T) {
	code, out, bad := cellwarden(t, "apply", m.file("c"), "--before", m.file("a"), "--dry-run")
	require.Zero(t, code, bad)
	require.Regexp(t, `^READY IF hosts wait: \d+ waves for 60 of 60 switches in 2 stages; meanwhile the ends of 80 cables `+
		`differ \(pfc-priorities\)`, out)
	require.Contains(t, out, "after the last wave alone: hosts send lossless frames in priority 4")
	require.Regexp(t, `headroom +sonic +60 +`, out)
	change := m.wave("a", "c", "silent.json")
	run := func(fault map[string]string) (doc report.FabricWavesDocument, text string) {
		m.faults(fault)
		code, out, bad := cellwarden(t, append(change, "-o", "json", "--timeout", "5s")...)
		require.Equal(t, cli.ExitPartial, code, out+bad)
		require.NoError(t, json.Unmarshal([]byte(out), &doc))
		require.Equal(t, "inconclusive", doc.Verdict)
		return doc, out
	}
	doc, _ := run(map[string]string{"leaf3": "silent"})
	require.Contains(t, doc.Why, "leaf3")
	require.Empty(t, doc.Left, "headroom alone makes no difference at the other end")
	// The same command goes on, and stops where PFC is at one end of some cables.
	doc, text := run(map[string]string{"leaf20": "later"})
	require.Contains(t, doc.Why, "leaf20", text)
	require.NotEmpty(t, doc.Left)
	at := map[string]string{}
	for _, w := range doc.Waves {
		for _, name := range w.Switches {
			if w.State == "checked" {
				at[name] = w.To
			}
		}
	}
	for _, c := range doc.Left {
		require.Equal(t, "pfc-priorities", c.Code)
		a, _, _ := strings.Cut(c.A, ":")
		b, _, _ := strings.Cut(c.B, ":")
		require.True(t, at[a] == "PFC on" || at[b] == "PFC on", "%s %s", c.A, c.B)
	}
	require.Equal(t, []string{"hosts send lossless frames in priority 4"}, doc.After)
	m.faults(nil)
	code, out, bad = cellwarden(t, change...)
	require.Zero(t, code, out+bad)
	require.Contains(t, out, "SUCCESSFUL")
	require.Contains(t, out, "next      after the last wave alone: hosts send lossless frames in priority 4")
	m.requireAll(t, "c")
}

// What is sent is listed for switches whose profile is known, beside others of the same plans, and names a port once.
func TestSentWhereProfilesAreKnownInPart(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../examples/arista-7060cx-32s.yaml")
	require.NoError(t, err)
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	table, err := os.ReadFile("../../examples/arista-7060cx-32s.ini")
	require.NoError(t, err)
	write("arista-7060cx-32s.ini", string(table))
	write("new.yaml", string(text))
	write("old.yaml", strings.Replace(string(text), "kmin: 250000B", "kmin: 200000B", 1))
	for known, other := range map[string]string{"leaf1": "leaf2", "leaf2": "leaf1"} {
		file := func(form string) string {
			return write("fabric-"+form+".yaml", "roles: {leaf: {topology: "+form+".yaml, rank: 0}}\nswitches:\n"+
				"  - {name: "+known+", role: leaf, profile: arista}\n  - {name: "+other+", role: leaf}\n"+
				"cables: [{a: \"leaf1:Ethernet1/1\", b: \"leaf2:Ethernet1/1\"}]\n")
		}
		code, out, bad := cellwarden(t, "apply", file("new"), "--before", file("old"), "--dry-run", "-o", "json")
		require.Zero(t, code, bad)
		var doc struct {
			Commands []struct {
				Switches, Where []string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(out), &doc))
		require.NotEmpty(t, doc.Commands, "%s beside %s", known, other)
		for _, c := range doc.Commands {
			require.Equal(t, []string{known}, c.Switches)
			require.Len(t, c.Where, 32)
		}
	}
}
