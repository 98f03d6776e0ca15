// Package library uses the C library as programs in C, C++ and Python do, and compares what they see with the simulator
// and with the rules in Go.
package library

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/internal/peers"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// scratch is what the tests share: the library and the command, each built once.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "cellwarden-library-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// shared builds the library.
var shared = sync.OnceValue(func() error {
	build := exec.Command(filepath.Join("..", "..", "cmd", "libcellwarden", "build"), scratch, "1.2.3")
	build.Env = append(os.Environ(), "SHARED_ONLY=1")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// built returns the folder of the library.
func built(t testing.TB) string {
	t.Helper()
	need(t, "gcc", "bash")
	if runtime.GOOS != "linux" {
		t.Skip("the library is built on Linux")
	}
	require.NoError(t, shared())
	return scratch
}

// need skips a test for which a program is missing.
func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip("install " + p)
		}
	}
}

// compiled builds a program of testdata with the library. The flags say how.
func compiled(t testing.TB, source string, flags ...string) string {
	t.Helper()
	lib := built(t)
	compiler, standard := "gcc", "-std=c99"
	if filepath.Ext(source) == ".cc" {
		compiler, standard = "g++", "-std=c++11"
		need(t, compiler)
	}
	program := filepath.Join(t.TempDir(), "program")
	args := append([]string{standard, "-pedantic", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-O1",
		"-I" + filepath.Join(lib, "include"), "-Itestdata", "-I" + filepath.Join("..", "..", "cmd", "libcellwarden", "ns3"),
		"-o", program, filepath.Join("testdata", source)}, flags...)
	args = append(args, "-L"+filepath.Join(lib, "lib"), "-lcellwarden", "-lpthread",
		"-Wl,-rpath,"+filepath.Join(lib, "lib"))
	out, err := exec.CommandContext(t.Context(), compiler, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// run runs a program and returns its lines.
func run(t testing.TB, input string, env []string, program string, args ...string) []string {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Stdin, c.Env = strings.NewReader(input), append(os.Environ(), env...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	require.NoError(t, c.Run(), "%s", errs.String())
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// example writes an example with the files that it names to a folder, and returns the path of the topology.
func example(t testing.TB, name string) string {
	t.Helper()
	folder := t.TempDir()
	for _, file := range []string{name, "arista-7060cx-32s.ini", "nh-4210.ini", "tomahawk5-fboss-chip.yaml"} {
		text, err := examples.Read(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), text, 0o600))
	}
	return filepath.Join(folder, name)
}

// question writes a question about a topology to a file.
func question(t testing.TB, path string) string {
	t.Helper()
	text, err := json.Marshal(map[string]string{"path": path})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "question.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// traffic is what a switch of the simulator was asked, and what it answered: a line of packets for each line of
// answers.
type traffic struct {
	ports            int
	packets, answers []string
	drops, xoff, xon int
	wanted           *fabric.Event // a pause of which it is not known yet whether the last packet or the next caused it
}

// observe notes the events of a switch.
func (r *traffic) observe(e *fabric.Event) {
	if !e.Where.Switch || !slices.Contains([]fabric.EventKind{fabric.Enqueued, fabric.Dropped, fabric.Departed,
		fabric.PauseWanted, fabric.PauseReleased}, e.Kind) {
		return
	}
	packet := func(kind string) string {
		return fmt.Sprintf("%s %d %d %d %d", kind, e.Where.Port, e.Out, e.Priority, e.Bytes)
	}
	signal := func(kind string, e *fabric.Event) {
		r.answers[len(r.answers)-1] += fmt.Sprintf(" %s %d %d", kind, e.Where.Port, e.Priority)
	}
	// The simulator reports a pause before the drop that causes it, and after a frame that is admitted.
	if w := r.wanted; w != nil {
		r.wanted = nil
		if e.Kind == fabric.Dropped && e.At == w.At && e.Where == w.Where {
			defer signal("x", w)
		} else {
			signal("x", w)
		}
	}
	switch e.Kind {
	case fabric.Enqueued:
		r.packets, r.answers = append(r.packets, packet("a")), append(r.answers, "a")
	case fabric.Dropped:
		r.packets, r.answers = append(r.packets, packet("a")), append(r.answers, "d")
		r.drops++
	case fabric.Departed:
		r.packets, r.answers = append(r.packets, packet("l")), append(r.answers, "l")
	case fabric.PauseWanted:
		w := *e
		r.wanted = &w
		r.xoff++
	case fabric.PauseReleased:
		signal("r", e)
		r.xon++
	}
}

// simulate plans an example and sends an incast through it: every port sends to two others in a lossless and a lossy
// priority, and every third host does not obey pause frames, so that frames are dropped.
func simulate(t testing.TB, path string, time unit.Time) *traffic {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	in, err := topology.Parse(path, text, os.ReadFile)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
	asic, err := sim.New(in.Chip, sim.Ports(in)...)
	require.NoError(t, err)
	require.NoError(t, asic.Apply(t.Context(), buffer.Diff(nil, plan.Layout())))
	var names []string
	for i := range in.Ports {
		names = append(names, in.Ports[i].Name)
	}
	made, err := asic.Switch(names, behaviour.Family{})
	require.NoError(t, err)
	sim.LimitEgress(&in, &made, 0)
	net := fabric.Network{Switches: []fabric.Switch{made}}
	for i := range in.Ports {
		net.Hosts = append(net.Hosts, fabric.Host{})
		if i%3 > 0 {
			net.Hosts[i].PFC = pfc.All
		}
		net.Links = append(net.Links, fabric.Link{A: fabric.AtHost(i), B: fabric.AtSwitch(0, i), Rate: in.Ports[i].Rate,
			Delay: unit.Microsecond})
		if i < 2 {
			continue
		}
		for k, priority := range []int{3, 4, 0, 1} {
			net.Flows = append(net.Flows, fabric.Flow{From: i, To: i % 2, Priority: priority, PCP: priority,
				Frame: unit.Bytes(1000 + 700*k + 13*i), Start: unit.Time(i) * unit.Nanosecond, Stop: time / 2})
		}
	}
	s, err := fabric.New(net)
	require.NoError(t, err)
	require.NoError(t, asic.Tune(s.MMU(0)))
	r := &traffic{ports: len(in.Ports)}
	s.Observe(r.observe)
	s.Run(time)
	require.Nil(t, r.wanted)
	return r
}

// input is the packets as the programs read them.
func (r *traffic) input(fcs int) string {
	var b strings.Builder
	for _, p := range r.packets {
		var kind string
		var in, out, priority, bytes int
		_, err := fmt.Sscan(p, &kind, &in, &out, &priority, &bytes)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(&b, kind, in, out, priority, bytes-fcs)
	}
	return b.String()
}

// same compares answers, and names the first that differs.
func (r *traffic) same(t *testing.T, who string, got []string) {
	t.Helper()
	for i, want := range r.answers {
		require.Less(t, i, len(got), who)
		require.Equal(t, want, got[i], "%s: packet %d: %s", who, i, r.packets[i])
	}
	require.Len(t, got, len(r.answers), who)
}

// A C program with single calls and with batches, the C++ class as ns-3 calls it, and Python with both pause and drop
// the frames that the simulator pauses and drops, in the same order.
func TestProgramsSeeWhatTheSimulatorSees(t *testing.T) {
	replay, harness := compiled(t, "replay.c"), ""
	if _, err := exec.LookPath("g++"); err == nil {
		harness = compiled(t, "harness.cc")
	}
	for name, time := range map[string]unit.Time{
		"arista-7060cx-32s.yaml": 500 * unit.Microsecond, "ratio-1-4.yaml": 300 * unit.Microsecond,
		"leaf-400g.yaml": 300 * unit.Microsecond,
	} {
		t.Run(name, func(t *testing.T) {
			path := example(t, name)
			r := simulate(t, path, time)
			t.Logf("%d packets and releases, %d drops, %d XOFF, %d XON", len(r.packets), r.drops, r.xoff, r.xon)
			require.Positive(t, r.xoff)
			require.Positive(t, r.xon)
			require.Positive(t, r.drops)
			asked := question(t, path)
			total := ""
			for _, size := range []string{"1", "64"} {
				got := run(t, r.input(0), nil, replay, asked, size)
				total = got[len(got)-1]
				r.same(t, "C, batches of "+size, got[:len(got)-1])
			}
			require.Contains(t, total, fmt.Sprintf("dropped %d xoff %d xon %d", r.drops, r.xoff, r.xon))
			if harness != "" {
				// A packet of ns-3 has no FCS, which the class adds.
				r.same(t, "C++", run(t, r.input(4), []string{"CELLWARDEN_TOPOLOGY=" + path}, harness, fmt.Sprint(r.ports)))
			}
		})
	}
}

// recorder is HPCC's rule, and notes what it is asked.
type recorder struct {
	peers.Rule
	traffic
}

// note adds a packet and what follows from it.
func (r *recorder) note(kind, end string, in, out, priority int, bytes unit.Bytes, signal bool) {
	r.packets = append(r.packets, fmt.Sprintf("%s %d %d %d %d", kind, in-1, out-1, priority, bytes))
	if signal {
		end += fmt.Sprintf(" %s %d %d", map[string]string{"a": "x", "l": "r"}[kind], in-1, priority)
	}
	c := r.Columns(in, out, priority)
	r.answers = append(r.answers, end+" | "+strings.Trim(fmt.Sprint(c), "[]"))
}

// Arrive implements fabric.AdmissionRule.
func (r *recorder) Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool) {
	admitted, xoff = r.Rule.Arrive(in, out, priority, bytes)
	end := "a"
	if !admitted {
		end = "d"
		r.drops++
	}
	r.note("a", end, in, out, priority, bytes, xoff)
	return admitted, xoff
}

// Leave implements fabric.AdmissionRule.
func (r *recorder) Leave(in, out, priority int, bytes unit.Bytes) (xon bool) {
	xon = r.Rule.Leave(in, out, priority, bytes)
	r.note("l", "l", in, out, priority, bytes, xon)
	return xon
}

// With HPCC's rule the C++ class has the counters of package peers after every packet of the scenarios whose logs come
// from HPCC's ns-3 itself, and pauses, resumes and drops with it.
func TestClassHasHPCCsRule(t *testing.T) {
	harness := compiled(t, "harness.cc")
	folders, err := filepath.Glob(filepath.Join("..", "..", "internal", "peers", "testdata", "hpcc-*"))
	require.NoError(t, err)
	require.Len(t, folders, 5)
	drops := 0
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(folder, "scenario.json"))
		require.NoError(t, err)
		s, err := peers.Parse(folder, text)
		require.NoError(t, err)
		r := &recorder{Rule: s.HPCC()}
		sim, err := fabric.New(s.Network(r))
		require.NoError(t, err)
		sim.Run(s.Stop)
		shift := 0
		for n := s.Alpha.Denom().Int64() / s.Alpha.Num().Int64(); n > 1; n /= 2 {
			shift++
		}
		number := func(n unit.Bytes) string { return fmt.Sprint(int64(n)) }
		got := run(t, r.input(0), nil, harness, fmt.Sprint(s.Ports), number(s.Buffer), number(s.Reserve),
			number(s.XONOffset), number(s.Headroom), fmt.Sprint(shift))
		r.same(t, filepath.Base(folder), got)
		drops += r.drops
	}
	require.Positive(t, drops, "one of the scenarios drops")
}

// All that a host can do wrong gives a code, from many threads, also under the sanitizers, and in a forked child.
func TestStress(t *testing.T) {
	for name, flags := range map[string][]string{
		"plain": {"-O2"}, "asan": {"-g", "-fsanitize=address,undefined"}, "tsan": {"-g", "-fsanitize=thread"},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "plain" && !sanitizes(t, flags[1]) {
				t.Skip("gcc has no " + flags[1])
			}
			program := compiled(t, "stress.c", flags...)
			asked := question(t, example(t, "arista-7060cx-32s.yaml"))
			require.Equal(t, []string{"ok"}, run(t, "", nil, program, asked, "fork"))
		})
	}
}

// sanitizes tells whether the compiler has a sanitizer and its program runs here.
func sanitizes(t *testing.T, flag string) bool {
	t.Helper()
	folder := t.TempDir()
	source, program := filepath.Join(folder, "empty.c"), filepath.Join(folder, "empty")
	require.NoError(t, os.WriteFile(source, []byte("int main(void) { return 0; }\n"), 0o600))
	return exec.CommandContext(t.Context(), "gcc", flag, "-o", program, source).Run() == nil &&
		exec.CommandContext(t.Context(), program).Run() == nil
}

// The library exports the functions of the header and nothing else, and pkg-config finds it.
func TestExports(t *testing.T) {
	lib := built(t)
	need(t, "nm")
	header, err := os.ReadFile(filepath.Join(lib, "include", "cellwarden.h"))
	require.NoError(t, err)
	want := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\w[\w *]*\b(cellwarden_\w+)\(`).FindAllSubmatch(header, -1) {
		want[string(m[1])] = true
	}
	got := map[string]bool{}
	for _, line := range run(t, "", nil, "nm", "-D", "--defined-only", filepath.Join(lib, "lib", "libcellwarden.so")) {
		fields := strings.Fields(line)
		if name, _, _ := strings.Cut(fields[2], "@"); fields[1] != "A" {
			got[name] = true
		}
	}
	require.Equal(t, want, got)
	require.Len(t, got, 16)

	need(t, "pkg-config")
	env := []string{"PKG_CONFIG_PATH=" + filepath.Join(lib, "lib", "pkgconfig")}
	require.Equal(t, []string{"1.2.3"}, run(t, "", env, "pkg-config", "--modversion", "cellwarden"))
	require.Equal(t, []string{fmt.Sprintf("-I%[1]s/include -L%[1]s/lib -lcellwarden", lib)},
		trimmed(run(t, "", env, "pkg-config", "--cflags", "--libs", "cellwarden")))
}

// trimmed removes the blanks at the ends of lines.
func trimmed(lines []string) []string {
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// The files of a checkout of HPCC's ns-3 compile with the class and one include changed: those of the switch and of the
// scenario, which use it.
func TestCheckout(t *testing.T) {
	checkout := os.Getenv("CELLWARDEN_HPCC")
	if checkout == "" {
		t.Skip("set CELLWARDEN_HPCC to a checkout of alibaba-edu/High-Precision-Congestion-Control")
	}
	need(t, "g++")
	// ns-3 collects the headers that its build lists in one folder, with a header for each module. Ours are in model
	// alone.
	folder := t.TempDir()
	for _, part := range []string{"ns3", "model"} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, part), 0o700))
	}
	write := func(part, name string, text []byte) string {
		path := filepath.Join(folder, part, name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	copied := func(part, path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if filepath.Base(path) == "switch-node.h" {
			const theirs = `"switch-mmu.h"`
			require.Contains(t, string(text), theirs)
			text = bytes.Replace(text, []byte(theirs), []byte(`"cellwarden-switch-mmu.h"`), 1)
		}
		return write(part, filepath.Base(path), text)
	}
	modules := map[string]string{}
	source := filepath.Join(checkout, "simulation", "src")
	for _, part := range []string{"model", "helper", "utils"} {
		paths, err := filepath.Glob(filepath.Join(source, "*", part, "*.h"))
		require.NoError(t, err)
		for _, path := range paths {
			copied("ns3", path)
			module := filepath.Base(filepath.Dir(filepath.Dir(path)))
			modules[module] += "#include \"ns3/" + filepath.Base(path) + "\"\n"
			if module == "point-to-point" && part == "model" {
				copied("model", path)
			}
		}
	}
	require.NotEmpty(t, modules["point-to-point"], "%s has no ns-3", checkout)
	for name, text := range modules {
		write("ns3", name+"-module.h", []byte(text))
	}
	write("ns3", "core-config.h", []byte("#define HAVE_STDINT_H 1\n#define HAVE_PTHREAD_H 1\n"+
		"#define INT64X64_USE_128 1\n#define HAVE___UINT128_T 1\n"))
	ours := filepath.Join("..", "..", "cmd", "libcellwarden")
	copied("model", filepath.Join(ours, "cellwarden.h"))
	copied("model", filepath.Join(ours, "ns3", "cellwarden-switch-mmu.h"))
	for _, path := range []string{copied("model", filepath.Join(source, "point-to-point", "model", "switch-node.cc")),
		filepath.Join(checkout, "simulation", "scratch", "third.cc")} {
		out, err := exec.CommandContext(t.Context(), "g++", "-std=c++11", "-fsyntax-only", "-w", "-I"+folder,
			"-I"+filepath.Join(folder, "model"), path).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}
