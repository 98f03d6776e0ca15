package fabric

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/report"
)

// opened returns what opens files that a test holds.
func opened(files map[string]string) func(string) (io.ReadCloser, error) {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return func(path string) (io.ReadCloser, error) { return all.Open(path) }
}

// answerWith is answer for a file that names dumps.
func answerWith(t *testing.T, text string, files map[string]string) report.FabricDocument {
	t.Helper()
	f, err := Read("fabric.yaml", []byte(text))
	require.NoError(t, err, text)
	require.NoError(t, f.Tables(opened(files)))
	d, err := f.Deadlock(t.Context())
	require.NoError(t, err)
	return d
}

// square is four switches in a ring whose ports have names, each with a network of its own.
const square = `switches: [A, B, C, D]
cables: [["A:Ethernet0", "B:Ethernet4"], ["B:Ethernet0", "C:Ethernet4"], ["C:Ethernet0", "D:Ethernet4"],
  ["D:Ethernet0", "A:Ethernet4"]]
`

// round are the tables of a ring in which all frames go the same way round, as each tool dumps them.
func round(form string) map[string]string {
	files := map[string]string{}
	for i, name := range []string{"A", "B", "C", "D"} {
		var lines []string
		for d := range 4 {
			p, port, hop := fmt.Sprintf("10.0.%d.0/24", d), "Ethernet0", "10.9.0.1"
			if d == i {
				port, hop = "Vlan1000", "0.0.0.0"
			}
			switch form {
			case "redis-dump":
				lines = append(lines, fmt.Sprintf(`"ROUTE_TABLE:%s": {"expireat": 1.5, "ttl": -0.001, "type": "hash", `+
					`"value": {"ifname": "%s", "nexthop": "%s", "weight": ""}}`, p, port, hop))
			case "groups":
				lines = append(lines, fmt.Sprintf(`"ROUTE_TABLE:%s": {"nexthop_group": "%s"}`, p, port))
			case "frr":
				if d == i {
					lines = append(lines, fmt.Sprintf(`"%s": [{"prefix": "%s", "selected": true, "nexthops": [{"fib": true, `+
						`"directlyConnected": true, "interfaceName": "Vlan1000"}]}]`, p, p))
					break
				}
				lines = append(lines, fmt.Sprintf(`"%s": [{"selected": false, "nexthops": [{"interfaceName": "Ethernet9"}]}, `+
					`{"protocol": "bgp", "selected": true, "installed": true, "nexthops": [{"fib": true, "ip": "%s", `+
					`"interfaceName": "%s", "active": true}, {"ip": "10.9.0.9", "interfaceName": "Ethernet4"}]}]`, p, hop, port))
			}
		}
		if form == "groups" {
			lines = append(lines, `"NEXTHOP_GROUP_TABLE:Ethernet0": {"nexthop": "10.9.0.1", "ifname": "PortChannel1"}`,
				`"LAG_MEMBER_TABLE:PortChannel1:Ethernet0": {"status": "enabled"}`,
				`"NEXTHOP_GROUP_TABLE:Vlan1000": {"ifname": "Vlan1000"}`, `"PORT_TABLE:Ethernet0": {"lanes": [1, 2]}`)
		}
		files["dumps/"+name+".json"] = "{\n" + strings.Join(lines, ",\n") + "\n}\n"
	}
	return files
}

// A ring whose tables send all frames the same way round can lock, by each form of dump; each step has the sender, the
// prefix, and the file and line of the route.
func TestTables(t *testing.T) {
	for _, form := range []string{"redis-dump", "groups", "frr"} {
		d := answerWith(t, square+"routes: {tables: \"dumps/{name}.json\", from: [A, B, C, D], priority: 3}\n", round(form))
		require.Equal(t, "A>B B>C C>D D>A", circle(d), form)
		require.Equal(t, "A to 10.0.2.0/24, by dumps/B.json:4", d.Priorities[0].Cycle[0].Because, form)
		require.Equal(t, []string{"A", "B", "C"}, d.Priorities[0].Cycle[0].Way, form)
	}
	// The same ring, from a plain text and with its default routes.
	text := "# one switch a line\nA 10.0.0.0/24\nA 0.0.0.0/0 B\nB 10.0.1.0/24\nB 0.0.0.0/0 :Ethernet0\n"
	f, err := Read("x/fabric.yaml", []byte(square+"routes: {tables: hops.txt, from: [A], priority: 3}\n"))
	require.NoError(t, err)
	require.ErrorContains(t, f.Tables(opened(map[string]string{"x/hops.txt": text})),
		`x/hops.txt:5: no cable of the fabric is at ":Ethernet0"`)
	text = strings.Replace(text, ":Ethernet0", "Ethernet0", 1) + "C 10.0.2.0/24\nC 0.0.0.0/0 D\nD 10.0.3.0/24\nD 0.0.0.0/0 A\n"
	require.NoError(t, f.Tables(opened(map[string]string{"x/hops.txt": text})))
	d, err := f.Deadlock(t.Context())
	require.NoError(t, err)
	// Frames from A to the addresses of no switch go round for ever, by the default routes.
	require.Equal(t, "A>B B>C C>D D>A", circle(d))
	require.Equal(t, "A to 0.0.0.0/0, by x/hops.txt:7", d.Priorities[0].Cycle[1].Because)
	d = answerWith(t, square+"routes: {tables: hops.txt, from: [A], priority: 3, prefixes: [10.0.2.0/24]}\n",
		map[string]string{"hops.txt": text})
	require.Equal(t, noCycle, d.Verdict)
	require.Equal(t, "ranks, checked independently", d.Priorities[0].Proof)
}

// When a cable of a leaf-spine fabric fails, the routes before and after have no circle, and both together have one: a
// leaf that still sends to the spine which sends back to it.
func TestWhileTablesChange(t *testing.T) {
	var before, after strings.Builder
	for leaf := 1; leaf <= 4; leaf++ {
		for to := 1; to <= 4; to++ {
			was, now := " spine1 spine2", " spine1 spine2"
			if leaf == 1 || to == 1 {
				now = " spine2" // the cable from leaf1 to spine1 has failed
			}
			if leaf == to {
				was, now = "", ""
			}
			fmt.Fprintf(&before, "leaf%d 10.0.%d.0/24%s\n", leaf, to, was)
			fmt.Fprintf(&after, "leaf%d 10.0.%d.0/24%s\n", leaf, to, now)
		}
		for _, spine := range []string{"spine1", "spine2"} {
			hop := fmt.Sprintf("leaf%d", leaf)
			fmt.Fprintf(&before, "%s 10.0.%d.0/24 %s\n", spine, leaf, hop)
			if leaf == 1 && spine == "spine1" {
				hop = "leaf2 leaf3 leaf4"
			}
			fmt.Fprintf(&after, "%s 10.0.%d.0/24 %s\n", spine, leaf, hop)
		}
	}
	const fabric = "generate: {leaf-spine: {leaves: 4, spines: 2}}\n"
	files := map[string]string{"old.txt": before.String(), "new.txt": after.String()}
	d := answerWith(t, fabric+"routes: {tables: new.txt, before: old.txt, from: [leaf*], priority: 3}\n", files)
	require.Equal(t, noCycle, d.Verdict)
	require.Equal(t, canLock, d.Converging.Verdict)
	require.Equal(t, "spine1 -> leaf2, leaf2 -> spine1", d.Converging.Cycle)
	// The first step is by the old route of leaf2, the second by the new one of spine1.
	require.Regexp(t, `^leaf\d to 10.0.1.0/24, by old.txt:\d+$`, d.Converging.Because[0])
	require.Regexp(t, `^leaf\d to 10.0.1.0/24, by new.txt:\d+$`, d.Converging.Because[1])
	d = answerWith(t, fabric+"routes: {tables: old.txt, before: old.txt, from: [leaf*], priority: 3}\n", files)
	require.Equal(t, noCycle, d.Converging.Verdict)
	d = answerWith(t, fabric+"routes: {tables: old.txt, from: [leaf*], priority: 3}\n", files)
	require.Nil(t, d.Converging)
}

// The longest prefix of each switch decides, and a prefix whose addresses are all in longer ones is no destination.
func TestLongestPrefix(t *testing.T) {
	text := "A 10.0.0.0/8 B\nB 10.0.0.0/9 C\nB 10.128.0.0/9 A\nC 10.0.0.0/8\n"
	d := answerWith(t, square+"routes: {tables: hops.txt, from: [A], priority: 3}\n", map[string]string{"hops.txt": text})
	// Frames to 10.128.0.0/9 bounce between A and B; those to 10.0.0.0/9 end at C.
	require.Equal(t, "A>B B>A", circle(d))
	d = answerWith(t, square+"routes: {tables: hops.txt, from: [A], priority: 3, prefixes: [10.0.0.0/9]}\n",
		map[string]string{"hops.txt": text})
	require.Equal(t, "", circle(d))
	require.Equal(t, 1, d.Priorities[0].Dependencies)
}

// A cable that fails takes next hops of the dumps away, and routes of which none is left: then a wider prefix decides,
// here one that sends frames back up. The proof after a failure is of the time until switches have new routes.
func TestFailuresOfTables(t *testing.T) {
	const fabric = `switches: [L1, L2, S1, S2]
cables: [[L1, S1], [L1, S2], [L2, S1], [L2, S2]]
failures: {links: 1}
routes: {tables: routes.txt, from: [L1, L2], priority: 3}
`
	text := "L1 10.1.0.0/24\nL2 10.2.0.0/24\nL1 10.2.0.0/24 S1 S2\nL2 10.1.0.0/24 S1 S2\n" +
		"S1 10.1.0.0/24 L1\nS1 10.2.0.0/24 L2\nS2 10.1.0.0/24 L1\nS2 10.2.0.0/24 L2\n"
	d := answerWith(t, fabric, map[string]string{"routes.txt": text})
	require.Equal(t, noCycle, d.Verdict)
	require.Equal(t, noCycle, d.Failures.Verdict)
	require.Equal(t, []int{4, 0, 0}, []int{d.Failures.Cases, d.Failures.Locks, d.Failures.Singles})
	require.Contains(t, strings.Join(d.Notes, "\n"), "until switches have new routes")
	// Each spine has a default route by the other leaf than the one that a prefix is at.
	text += "S1 0.0.0.0/0 L1 L2\nS2 0.0.0.0/0 L1 L2\n"
	d = answerWith(t, fabric+"# wider\n", map[string]string{"routes.txt": text})
	require.Equal(t, noCycle, d.Verdict)
	require.Equal(t, canLock, d.Failures.Verdict)
	require.Equal(t, []int{4, 4}, []int{d.Failures.Cases, d.Failures.Locks})
	require.Contains(t, d.Failures.Because[0], "by routes.txt:")
	// down is the same for one cable, and the second program finds the same ways.
	down := strings.Replace(fabric, "failures: {links: 1}", "down: [[L1, S1]]", 1)
	d = answerWith(t, down, map[string]string{"routes.txt": text})
	require.Equal(t, canLock, d.Verdict)
	require.Contains(t, d.Priorities[0].Cycle[0].Because, "routes.txt:")
	d = answerWith(t, down, map[string]string{"routes.txt": strings.ReplaceAll(text, "0.0.0.0/0 L1 L2", "0.0.0.0/0")})
	require.Equal(t, "ranks, checked independently", d.Priorities[0].Proof)
}

// A dump by VRF has the routes of the default one, and says what it leaves out, however long that is.
func TestTablesByVRF(t *testing.T) {
	files := round("frr")
	for name, text := range files {
		files[name] = `{"default": ` + text + `, "red": {"10.0.0.0/8": [` + strings.Repeat(" [[{}]],\n", 200_000) + `0]}}`
	}
	d := answerWith(t, square+"routes: {tables: \"dumps/{name}.json\", from: [A, B, C, D], priority: 3}\n", files)
	require.Equal(t, "A>B B>C C>D D>A", circle(d))
	require.Equal(t, "A to 10.0.2.0/24, by dumps/B.json:4", d.Priorities[0].Cycle[0].Because)
	require.Contains(t, strings.Join(d.Notes, "\n"), "4 routes and more of other VRFs than the default one are left out")
	// A VRF of that name within it is another one: it cannot nest without end.
	files = map[string]string{"A": strings.Repeat(`{"default": `, 100)}
	f, err := Read("fabric.yaml", []byte(square+"routes: {tables: \"{name}\", at: A, from: [A], priority: 3}\n"))
	require.NoError(t, err)
	require.ErrorContains(t, f.Tables(opened(files)), "more than 16 levels")
}

// A dump that cannot be understood is refused, with file and line.
func TestTablesRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"ROUTE_TABLE:10.0.0.0/24": {"ifname": "PortChannel1", "nexthop": "10.0.0.1"}}`,
			`dumps/A.json:1: no cable of the fabric is at "PortChannel1"`},
		{"{\n\"ROUTE_TABLE:10.0.0.0/24\": {\"nexthop_group\": \"7\"}}", "dumps/A.json:2: nexthop_group \"7\" is not in the dump"},
		{`{"ROUTE_TABLE:10.0.0.0/24": {"ifname": `, "the file ends within this value"},
		{`{"ROUTE_TABLE:10.0.0.0/24": {"ifname": oops}}`, "dumps/A.json:1: invalid character 'o'"},
		{`{"ROUTE_TABLE:10.0.0.0/24": null}`, "null (want an object of JSON)"},
		{`[7]`, "dumps/A.json:1: \"7\" (want an object of JSON)"},
		{`[{"OP": "SET"}`, "the file ends within this value"},
		{`{"10.0.0.0/24": [{"selected": 7}]}`, "dumps/A.json:1: json:"},
		{"{\"a\": " + strings.Repeat("[", 40), "more than 16 levels"},
		{`{"a" 1}`, "dumps/A.json:1: invalid character '1'"},
		{`{"a": 1,}`, "dumps/A.json:1: invalid character '}'"},
		{"", "the file ends within this value"},
		{"{\"" + strings.Repeat("a", 2<<20) + "\": 1}", "more than 1048576 bytes"},
		{"{\n\"10.0.0.0/24\": [" + strings.Repeat(" ", 2<<20) + "]}", "dumps/A.json:2: a value of more than 1048576 bytes"},
	} {
		f, err := Read("fabric.yaml", []byte(square+"routes: {tables: \"dumps/{name}.json\", at: A, from: A, priority: 3}\n"))
		require.NoError(t, err)
		require.ErrorContains(t, f.Tables(opened(map[string]string{"dumps/A.json": c.text})), c.want)
		_, err = f.Deadlock(t.Context())
		require.Error(t, err)
	}
	f, err := Read("fabric.yaml", []byte(square+"routes: {tables: x, from: A, priority: 3}\n"))
	require.NoError(t, err)
	_, err = f.Deadlock(t.Context())
	require.ErrorContains(t, err, "not read")
	for _, c := range []struct{ text, want string }{
		{"routes: {tables: x, at: A, from: A, priority: 3}", "at goes with a file for each switch"},
		{"routes: {tables: x, priority: 3}", "from"},
		{"routes: {tables: x, before: \"{name}.json\", from: A, priority: 3}", "both so, or both as a text of all"},
		{"routes: {rule: shortest, before: y, between: A, priority: 3}", "before does not go with a rule"},
		{"routes: {tables: x, from: A, priority: 3, prefixes: [ten]}", "want a prefix"},
		{"routes: {tables: x, from: A, priority: 3, outside: [\"[\"]}", "want the name of an interface"},
		{"routes: {tables: x, from: A, rule: shortest, priority: 3}", "one of them"},
		{"routes: {flood: A, between: A, priority: 3}", "between does not go with flood"},
		{"rewrites: [{at: A, priority: 3, becomes: 3}]\n" + shortest, "another priority, or lossy"},
		{"rewrites: [{at: X, priority: 3, becomes: 4}]\n" + shortest, "want a name or a pattern"},
	} {
		_, err := Read("fabric.yaml", []byte(square+c.text))
		require.ErrorContains(t, err, c.want, c.text)
	}
}

// An irregular fabric whose tables hold shortest ways has the dependencies of the rule shortest, and its proof is
// checked by the second program.
func TestTablesAreTheRule(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 7))
		text, table := irregular(random, 12, 5)
		rule := answer(t, text+"routes: {rule: shortest, between: [s*], priority: 3}\n")
		d := answerWith(t, text+"routes: {tables: hops.txt, from: [s*], priority: 3}\n", map[string]string{"hops.txt": table})
		require.Equal(t, rule.Verdict, d.Verdict)
		require.Equal(t, rule.Priorities[0].Dependencies, d.Priorities[0].Dependencies)
		require.Equal(t, rule.Priorities[0].Channels, d.Priorities[0].Channels)
		require.Equal(t, rule.Priorities[0].Proof, d.Priorities[0].Proof)
	}
}

// irregular is a connected fabric of switches with random cables, a prefix for each, and tables of all shortest ways.
func irregular(random *rand.Rand, switches, more int) (text, table string) {
	near := make([][]int, switches)
	var cables []string
	join := func(a, b int) {
		if slices.Contains(near[a], b) {
			return
		}
		near[a], near[b] = append(near[a], b), append(near[b], a)
		cables = append(cables, fmt.Sprintf("[s%d, s%d]", a, b))
	}
	for v := 1; v < switches; v++ {
		join(v, random.IntN(v))
	}
	for range more {
		if a, b := random.IntN(switches), random.IntN(switches); a != b {
			join(a, b)
		}
	}
	var out bytes.Buffer
	for d := range switches {
		far := make([]int, switches)
		for v := range far {
			far[v] = -1
		}
		far[d] = 0
		for queue := []int{d}; len(queue) > 0; queue = queue[1:] {
			for _, x := range near[queue[0]] {
				if far[x] < 0 {
					far[x] = far[queue[0]] + 1
					queue = append(queue, x)
				}
			}
		}
		for v := range switches {
			fmt.Fprintf(&out, "s%d 10.%d.%d.0/24", v, d/256, d%256)
			for _, x := range near[v] {
				if far[x] == far[v]-1 {
					fmt.Fprintf(&out, " s%d", x)
				}
			}
			out.WriteByte('\n')
		}
	}
	return fmt.Sprintf("switches: [{range: s0-%d}]\ncables: [%s]\n", switches-1, strings.Join(cables, ", ")), out.String()
}

// BenchmarkIrregular is 1,000 switches with explicit tables of 1,000 prefixes each: reading and the answer.
func BenchmarkIrregular(b *testing.B) {
	text, table := irregular(rand.New(rand.NewPCG(1, 7)), 1000, 3000)
	open := opened(map[string]string{"hops.txt": table})
	for b.Loop() {
		f, err := Read("fabric.yaml", []byte(text+"routes: {tables: hops.txt, from: [s*], priority: 3}\n"))
		require.NoError(b, err)
		require.NoError(b, f.Tables(open))
		d, err := f.Deadlock(b.Context())
		require.NoError(b, err)
		b.ReportMetric(float64(d.Priorities[0].Channels), "channels")
		b.ReportMetric(float64(d.Priorities[0].Dependencies), "dependencies")
	}
}

// Any bytes are tables or are refused.
func FuzzTables(f *testing.F) {
	for _, form := range []string{"redis-dump", "groups", "frr"} {
		f.Add([]byte(round(form)["dumps/A.json"]), true)
	}
	f.Add([]byte("A 10.0.0.0/24 B\n"), false)
	f.Add([]byte(`[{"ROUTE_TABLE:10.0.0.0/24": {"ifname": "Ethernet0"}, "OP": "SET"}]`), true)
	f.Fuzz(func(t *testing.T, data []byte, dump bool) {
		text := square + "routes: {tables: \"{name}\", at: A, from: [A, B], priority: 3}\n"
		if !dump {
			text = square + "routes: {tables: A, from: [A, B], priority: 3}\n"
		}
		file, err := Read("fabric.yaml", []byte(text))
		require.NoError(t, err)
		if file.Tables(opened(map[string]string{"A": string(data)})) == nil {
			_, err := file.Deadlock(t.Context())
			require.NoError(t, err)
		}
	})
}
