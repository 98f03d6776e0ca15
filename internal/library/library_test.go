package library

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/report"
)

// about returns a question about an example.
func about(t testing.TB, example string, more ...any) []byte {
	t.Helper()
	text, err := examples.Read(example)
	require.NoError(t, err)
	q := map[string]any{"topology": string(text)}
	for i := 0; i < len(more); i += 2 {
		q[more[i].(string)] = more[i+1]
	}
	out, err := json.Marshal(q)
	require.NoError(t, err)
	return out
}

func newSwitch(t testing.TB, question []byte) *Switch {
	t.Helper()
	s, a := NewSwitch(question)
	require.Equal(t, OK, a.Code, string(a.Text))
	return s
}

// Every example has the document of package report, and the code says whether it fits.
func TestPlan(t *testing.T) {
	for _, name := range examples.Topologies() {
		if strings.HasPrefix(name, "fabric-") {
			continue // several switches: no topology of one
		}
		a := Plan(about(t, name))
		var doc struct {
			Schema    string `json:"schema"`
			Fits      bool   `json:"fits"`
			PortCount int    `json:"port_count"`
		}
		require.NoError(t, json.Unmarshal(a.Text, &doc), name)
		require.Equal(t, report.Schema("plan"), doc.Schema)
		require.Equal(t, doc.Fits, a.Code == OK, name)
		if s, a := NewSwitch(about(t, name)); a.Code == OK {
			require.Equal(t, doc.PortCount, s.Ports(), name)
		} else {
			require.Equal(t, DoesNotFit, a.Code, name)
			require.Nil(t, s)
		}
	}
}

func TestQuestionsAreRefused(t *testing.T) {
	sizes := `"buffer_bytes":100,"reserve_bytes":1,"resume_offset_bytes":1,`
	for question, says := range map[string]string{
		``:                                    "question: EOF",
		`{} {}`:                               "more follows the object",
		`{}`:                                  "want either topology",
		`{"topology":null}`:                   "want a mapping",
		`{"topology":{},"x":1}`:               `"x": this question has no such key`,
		`{"topology":{},"path":"x"}`:          "want either topology",
		`{"path":"/nowhere/leaf.yaml"}`:       "path: open /nowhere/leaf.yaml",
		`{"topology":{},"set":["x"]}`:         `set: "x": no =`,
		`{"topology":{},"port":"x"}`:          "port: this question has no such key (want topology, path, set, files)",
		`{"topology":"chip: a.yaml"}`:         "chip",
		`{"topology":{"chip":"/etc/passwd"}}`: "chip",
		`{"topology":{},"behaviour":"` + "x" + `"}`: "no such key",
		`{"hpcc":{}}`: "no such key",
	} {
		a := Plan([]byte(question))
		require.Equal(t, BadQuestion, a.Code, question)
		require.Contains(t, string(a.Text), says, question)
	}
	for question, says := range map[string]string{
		`{"hpcc":{}}`: "hpcc.buffer_bytes: not given (want 0 to 4294967295)",
		`{"hpcc":{` + sizes + `"headroom_bytes":[1],"alpha_shift":[1,2]}}`:             "hpcc.alpha_shift: ports: 2 (want 1 as of",
		`{"hpcc":{` + sizes + `"headroom_bytes":[99,1],"alpha_shift":[3,3]}}`:          "at least the 102 of",
		`{"hpcc":{` + sizes + `"headroom_bytes":[-1],"alpha_shift":[32]}}`:             "hpcc.alpha_shift[0]: 32",
		`{"hpcc":{` + sizes + `"headroom_bytes":[1],"alpha_shift":[1]},"topology":{}}`: "hpcc: with a topology",
		`{"topology":{},"behaviour":"nobody"}`: "behaviour: \"nobody\" (want xgs, n9k, silicon-one, spectrum, juniper, " +
			"reference)",
	} {
		s, a := NewSwitch([]byte(question))
		require.Nil(t, s)
		require.Equal(t, BadQuestion, a.Code, question)
		require.Contains(t, string(a.Text), says, question)
	}
	a := Explain(about(t, "leaf-400g.yaml", "port", "Ethernet1", "items", []string{"colour"}))
	require.Contains(t, string(a.Text), "items: \"colour\" (want headroom")
	require.Equal(t, BadQuestion, Explain(about(t, "leaf-400g.yaml")).Code)
	require.Equal(t, OK, Explain(about(t, "leaf-400g.yaml", "port", "Ethernet1")).Code)
	require.Equal(t, DoesNotFit, Explain(about(t, "nh-4210.yaml", "port", "Ethernet1")).Code)
	require.Equal(t, BadQuestion, Plan(make([]byte, MaxQuestion+1)).Code)
}

// A topology in a question opens no file; the texts of files come with it. With a path its folder is open.
func TestFilesOfAQuestion(t *testing.T) {
	folder := t.TempDir()
	text, err := examples.Read("arista-7060cx-32s.yaml")
	require.NoError(t, err)
	table, err := examples.Read("arista-7060cx-32s.ini")
	require.NoError(t, err)
	mine := strings.Replace(string(text), "arista-7060cx-32s.ini", "mine.ini", 1)
	path := filepath.Join(folder, "leaf.yaml")
	require.NoError(t, os.WriteFile(path, []byte(mine), 0o600))
	ask := func(q map[string]any) Answer {
		text, err := json.Marshal(q)
		require.NoError(t, err)
		return Plan(text)
	}
	a := ask(map[string]any{"topology": mine})
	require.Equal(t, BadQuestion, a.Code)
	require.Contains(t, string(a.Text), "want their texts in files")
	require.Equal(t, OK, ask(map[string]any{"topology": mine, "files": map[string]string{"mine.ini": string(table)}}).Code)
	require.Equal(t, BadQuestion, ask(map[string]any{"path": path}).Code)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "mine.ini"), table, 0o600))
	require.Equal(t, OK, ask(map[string]any{"path": path}).Code)
	outside := strings.Replace(mine, "mine.ini", "../mine.ini", 1)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "in"), 0o700))
	path = filepath.Join(folder, "in", "leaf.yaml")
	require.NoError(t, os.WriteFile(path, []byte(outside), 0o600))
	require.Equal(t, BadQuestion, ask(map[string]any{"path": path}).Code)
}

// A group pauses at the limit that Group shows, is paused once for all slices, and everything is given back.
func TestSwitch(t *testing.T) {
	s := newSwitch(t, about(t, "arista-7060cx-32s.yaml"))
	require.Equal(t, Code(31), s.Port("Ethernet1/32"))
	require.Equal(t, OutOfRange, s.Port(""))
	require.Equal(t, Code(208), s.Cell())
	xoff, admitted := 0, []Packet{}
	for i := range int32(30000) {
		p := Packet{In: 5, Out: i % 32, Priority: 3, Bytes: 1500}
		r := s.Arrive(p)
		if r&Admitted != 0 {
			admitted = append(admitted, p)
		} else {
			require.NotZero(t, r>>causeShift)
		}
		if r&XOFF != 0 {
			xoff++
			g, code := s.Group(5, 3)
			require.Equal(t, OK, code)
			require.InDelta(t, g.Limit, max(g.Shared/2, g.Limit), 16, "of the first of two slices")
			require.EqualValues(t, 1, g.Paused)
		}
	}
	require.Equal(t, 1, xoff)
	c := s.Counters()
	require.EqualValues(t, len(admitted), c.Admitted)
	require.Positive(t, c.Dropped[0])
	require.Equal(t, c.Dropped[0], c.Dropped[mmu.CauseHeadroom]+c.Dropped[mmu.CauseHeadroomPool])
	xon := 0
	for _, p := range admitted {
		r := s.Leave(p)
		require.GreaterOrEqual(t, r, Code(0))
		if r&XON != 0 {
			xon++
		}
		for _, _, ok := s.Resume(); ok; _, _, ok = s.Resume() {
			xon++
		}
	}
	require.Equal(t, 1, xon)
	require.Equal(t, NotHeld, s.Leave(admitted[0]))
	require.Zero(t, s.Counters().Shared)
	g, _ := s.Group(5, 3)
	require.Zero(t, g.Paused+g.Shared+g.Headroom+g.Reserved)
	require.Positive(t, g.PeakHeadroom)
	require.NoError(t, s.mmu.Check())
}

// A packet costs no memory.
func TestNothingIsAllocated(t *testing.T) {
	var table Table
	s := newSwitch(t, about(t, "arista-7060cx-32s.yaml"))
	handle, code := table.Add(s)
	require.Equal(t, OK, code)
	operations := []Operation{{Packet: Packet{0, 1, 3, 64}}, {Leave: 1, Packet: Packet{0, 1, 3, 64}}}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		p := Packet{1, 2, 3, 9000}
		table.Use(handle, func(s *Switch) Code { return s.Arrive(p) })
		table.Use(handle, func(s *Switch) Code { return s.Leave(p) })
		table.Use(handle, func(s *Switch) Code { done, _ := s.Batch(operations, nil); return done })
	}))
}

// A handle is of one switch for ever; a fault ends the use of its switch and of no other.
func TestTable(t *testing.T) {
	var table Table
	use := func(handle uint64) Code { return table.Use(handle, func(s *Switch) Code { return Code(s.Ports()) }) }
	a, _ := table.Add(&Switch{names: make([]string, 1)})
	b, _ := table.Add(&Switch{names: make([]string, 2)})
	require.Equal(t, Code(1), use(a))
	for _, wrong := range []uint64{0, 1, a ^ 1<<63, a + 1<<32, ^uint64(0), MaxSwitches + 1, a | 0xffffffff} {
		require.Equal(t, BadHandle, use(wrong), "%x", wrong)
	}
	require.Equal(t, OK, table.Remove(a))
	require.Equal(t, BadHandle, table.Remove(a))
	seen := map[uint64]bool{a: true, b: true}
	for range 2 * MaxSwitches {
		h, code := table.Add(&Switch{})
		require.Equal(t, OK, code)
		require.False(t, seen[h])
		seen[h] = true
		require.Equal(t, OK, table.Remove(h))
	}
	require.Equal(t, BadHandle, use(a))
	require.Equal(t, Code(2), use(b))
	require.Equal(t, Busy, table.Use(b, func(*Switch) Code { return use(b) }))
	require.Equal(t, Fault, table.Use(b, func(*Switch) Code { panic("a fault") }))
	require.Equal(t, Fault, use(b))
	require.Equal(t, OK, table.Remove(b))
}

func TestTableIsFull(t *testing.T) {
	var table Table
	for range MaxSwitches {
		_, code := table.Add(&Switch{})
		require.Equal(t, OK, code)
	}
	_, code := table.Add(&Switch{})
	require.Equal(t, TooMany, code)
}

// Threads that use, remove and add switches at once see a switch, or a code.
func TestTableAtOnce(t *testing.T) {
	var table Table
	var all sync.WaitGroup
	shared, _ := table.Add(newSwitch(t, about(t, "arista-7060cx-32s.yaml")))
	for range 4 {
		all.Go(func() {
			for range 200 {
				h, _ := table.Add(&Switch{})
				code := table.Use(shared, func(s *Switch) Code { return s.Arrive(Packet{0, 1, 3, 64}) })
				if code != Admitted && code != Busy {
					t.Errorf("code %d", code)
				}
				table.Remove(h)
			}
		})
	}
	all.Wait()
}

// The header has the numbers of this package and of package mmu, which programs have compiled in.
func TestHeader(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "cmd", "libcellwarden", "cellwarden.h"))
	require.NoError(t, err)
	got := map[string]int32{}
	for _, m := range regexp.MustCompile(`(?m)^#define CELLWARDEN_(\w+) \(?(-?\d+)\)?(?: |$)`).FindAllSubmatch(text, -1) {
		n, err := strconv.Atoi(string(m[2]))
		require.NoError(t, err)
		got[string(m[1])] = int32(n)
	}
	want := map[string]int32{"ABI": 1, "OK": OK, "DOES_NOT_FIT": DoesNotFit, "E_ARGUMENT": BadArgument,
		"E_QUESTION": BadQuestion, "E_HANDLE": BadHandle, "E_BUSY": Busy, "E_RANGE": OutOfRange, "E_NOT_HELD": NotHeld,
		"E_FORKED": Forked, "E_FAULT": Fault, "E_MEMORY": NoMemory, "E_TOO_MANY": TooMany, "MMUS": MaxSwitches, "QUESTION": MaxQuestion, "BYTES": MaxBytes,
		"ADMITTED": Admitted, "XOFF": XOFF, "XON": XON, "ROOM": Room,
		"GROUP_LIMIT": int32(mmu.CauseGroupLimit), "PORT_LIMIT": int32(mmu.CausePortLimit), "POOL": int32(mmu.CausePool),
		"HEADROOM": int32(mmu.CauseHeadroom), "HEADROOM_POOL": int32(mmu.CauseHeadroomPool),
		"GLOBAL_HEADROOM": int32(mmu.CauseGlobalHeadroom), "QUEUE_LIMIT": int32(mmu.CauseQueueLimit),
		"EGRESS_PORT_LIMIT": int32(mmu.CauseEgressPortLimit), "EGRESS_POOL": int32(mmu.CauseEgressPool)}
	require.Equal(t, want, got)
	// They are frozen: a program that was compiled yesterday has them.
	require.Equal(t, []int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, func() (out []int32) {
		for _, c := range mmu.Causes() {
			out = append(out, int32(c))
		}
		return out
	}())
	require.Equal(t, []Code{1, 2, 4, 8, 8}, []Code{Admitted, XOFF, XON, Room, causeShift})
}

// A question of any bytes gives an answer, and an MMU of it keeps its invariants whatever packets come.
func FuzzQuestion(f *testing.F) {
	f.Add(about(f, "leaf-400g.yaml"), []byte{0, 1, 2, 3, 4, 5})
	f.Add([]byte(`{"hpcc":{"buffer_bytes":99,"reserve_bytes":1,"resume_offset_bytes":1,"headroom_bytes":[9],"alpha_shift":[1]}}`),
		[]byte{0, 0, 0, 0, 9, 1, 0, 0, 0, 9})
	f.Add([]byte(`{"topology":{"chip":"tomahawk"},"set":["ports[0].cable=1m"],"files":{"a":"b"}}`), []byte{})
	f.Fuzz(func(t *testing.T, question, packets []byte) {
		var q struct{ Path *string }
		if json.Unmarshal(question, &q) == nil && q.Path != nil {
			return // no file of this machine
		}
		for _, a := range []Answer{Plan(question), Explain(question)} {
			require.NotEqual(t, Fault, a.Code, string(a.Text))
			require.NotEmpty(t, a.Text)
		}
		s, a := NewSwitch(question)
		if a.Code != OK {
			require.Nil(t, s)
			return
		}
		var operations []Operation
		for ; len(packets) >= 5; packets = packets[5:] {
			operations = append(operations, Operation{int32(packets[0] & 1), Packet{int32(int8(packets[1])),
				int32(int8(packets[2])), int32(packets[3] % 9), int32(packets[4]) * 97}, 0})
		}
		for len(operations) > 0 {
			done, _ := s.Batch(operations, nil)
			if int(done) == len(operations) {
				break
			}
			require.Negative(t, operations[done].Result)
			operations = operations[done+1:]
		}
		if s.mmu != nil {
			require.NoError(t, s.mmu.Check())
		}
		require.LessOrEqual(t, s.Ports(), buffer.MaxPorts)
	})
}
