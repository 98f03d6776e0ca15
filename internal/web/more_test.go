package web_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/web"
)

// more are questions to the operations beside a plan, each with an answer.
func more() map[string]map[string]any {
	return map[string]map[string]any{
		"burst":   {"topology": small},
		"explain": {"topology": small, "port": "Ethernet1"},
		"sweep":   {"topology": small, "vary": []string{"cable=5m..10km:4"}},
		"audit":   {"configuration": `{"DEVICE_METADATA": {"localhost": {"hwsku": "x"}}, "PORT": {}}`},
		"risk":    {"topology": small, "paused": "0.1%"},
		"link": {"a": map[string]any{"topology": small, "port": "Ethernet1"},
			"b": map[string]any{"topology": small, "port": "Ethernet5"}},
		"ecn": {"topology": small, "set": []string{"classes[0].ecn={kmin: 5000B, kmax: 200000B, pmax: 1%}"}},
	}
}

// with is a question with other values, as JSON.
func with(t testing.TB, question map[string]any, values map[string]any) string {
	t.Helper()
	question = maps.Clone(question)
	maps.Copy(question, values)
	data, err := json.Marshal(question)
	require.NoError(t, err)
	return string(data)
}

// The operations answer with the documents of their verbs; cmd/cellwarden compares all of them with the verbs'.
func TestMoreOperations(t *testing.T) {
	h := web.New(web.Options{})
	for name, question := range more() {
		answer := text(t, send(t, h, "POST", "/v1/"+name, with(t, question, nil)), 200)
		if name == "sweep" {
			require.Contains(t, answer, `"line":4,"vary":{"cable":"10km"},"fits":false`)
			continue
		}
		require.Contains(t, answer, `"schema":"cellwarden.`+name+`/v1"`)
	}
}

// What is wrong with a question is said with its key, and what is accepted.
func TestMoreRefusals(t *testing.T) {
	h, questions := web.New(web.Options{}), more()
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf("  - {name: Ethernet%d, speed: 25G, cable: 5m}", i+1)
	}
	wide := strings.Split(small, "ports:")[0] +
		"  - {name: storage, priorities: [4], lossless: true}\nports:\n" + strings.Join(many, "\n") + "\n"
	incast := make([]int, 64)
	for i := range incast {
		incast[i] = i + 1
	}
	for _, x := range []struct {
		operation string
		values    map[string]any
		want      string
	}{
		{"burst", map[string]any{"incast": []int{0}}, "incast: 0 senders (want 1 to 4096)"},
		{"burst", map[string]any{"frame": "1B"}, "frame: 1B (want 64B to "},
		{"burst", map[string]any{"set": []string{"ports[0].cable=40km"}}, "the plan does not fit, so its pool is not known"},
		{"burst", map[string]any{"topology": wide, "incast": incast},
			"incast: 12800 bursts of all entries and classes (want at most 10000)"},
		{"explain", map[string]any{"port": "Ethernet99"}, `no port \"Ethernet99\" (want Ethernet1`},
		{"explain", map[string]any{"items": []string{"colour"}}, `items: \"colour\" (want headroom, xon`},
		{"sweep", map[string]any{"vary": []string{"cable"}}, "vary: "},
		{"sweep", map[string]any{"vary": []string{"cable=5m..10km/5m"}},
			"vary: 2000 points (want at most 1000)"},
		{"sweep", map[string]any{"vary": []string{"chip=none,nothing"}}, "vary: no point can be planned; the last: "},
		{"risk", map[string]any{"paused": "200%"}, `paused \"200%\" (want a part of the time`},
		{"risk", map[string]any{"fan_in": 2}, "paused, pauses, congested and watermarks (want one behaviour)"},
		{"risk", map[string]any{"accepted_risk": 0}, "accepted_risk 0 (want above 0 and below 1)"},
		{"risk", map[string]any{"paused": nil, "pauses": 1, "pause_time": "2s"},
			"pauses 1 of pause_time 2s: 200% of the time"},
		{"risk", map[string]any{"paused": nil, "congested": "1%"}, "fan_in 0 (want 1 or more senders)"},
		{"risk", map[string]any{"paused": nil, "trials": 2}, "trials: accepted with paused or pauses"},
		{"risk", map[string]any{"set": []string{"pool.shared_headroom_ratio=4"}, "trials": 1 << 30},
			"trials: 1073741824 of 4 groups (want at most 67108864)"},
		{"risk", map[string]any{"paused": nil, "watermarks": "port,group,cells\nxe-0/0/1,3,7\n"},
			`watermarks:2: no port \"xe-0/0/1\" in the plan`},
		{"risk", map[string]any{"paused": nil, "watermarks": ""}, "watermarks: no watermark"},
		{"risk", map[string]any{"set": []string{"pool.shared_headroom=100000000000000B"}, "paused": nil,
			"watermarks": "port,group,cells\nEthernet1,3,7\n"},
			"bring sums of "},
		{"ecn", map[string]any{"set": nil}, "no lossless class marks packets (want one with ecn)"},
		{"ecn", map[string]any{"class": "none"}, `class \"none\" (want rdma)`},
		{"ecn", map[string]any{"groups": 0}, "groups 0, feeding 1 (want 1 to "},
		{"ecn", map[string]any{"feeding": 0}, "feeding 0 (want 1 to "},
		{"ecn", map[string]any{"rate": "100G"}, "DCQCN needs rate, flows, kmax and pmax"},
		{"ecn", map[string]any{"loop_delay": "1us", "rate": "x", "flows": 2}, "rate: "},
		{"ecn", map[string]any{"rate": "800G", "flows": 100, "loop_delay": "1ms"},
			"loop delay 1ms: the fluid model diverges"},
		{"ecn", map[string]any{"rtt": "1h"}, "rtt: "},
		{"ecn", map[string]any{"pool": "1MiB", "kmin": "5B"}, "kmin (want it without a topology, which gives this value)"},
		{"ecn", map[string]any{"set": []string{"ports[0].cable=40km"}}, "the plan does not fit, so its pool is not known"},
		{"link", map[string]any{"b": map[string]any{"topology": small, "port": "Ethernet99"}},
			`b: no port \"Ethernet99\" (want Ethernet1-8)`},
		{"link", map[string]any{"b": map[string]any{"topology": "chip: none", "port": "Ethernet1"}}, "b:1: "},
		{"audit", map[string]any{"chip": "none"}, "chip: "},
		{"audit", map[string]any{"cable": "40"}, "cable: "},
		{"audit", map[string]any{"system": "none"}, "configuration: "},
		{"audit", map[string]any{"configuration": "nothing"}, "configuration: the configuration of no system that is known"},
		{"audit", map[string]any{"peer": "nothing"}, "peer: the configuration of no system that is known"},
	} {
		answer := text(t, send(t, h, "POST", "/v1/"+x.operation, with(t, questions[x.operation], x.values)), 422)
		require.Contains(t, answer, x.want)
	}
}

// A question about marking without a topology is refused with all complaints, each with its key and what is accepted.
func TestECNWithoutTopology(t *testing.T) {
	h := web.New(web.Options{})
	for _, x := range []struct {
		question string
		want     []string
	}{
		{`{}`, []string{`pool: \"\" is not a number of bytes`, "kmin: ", "cell or chip: needed for the size of a cell"}},
		{`{"pool": "10", "alpha": "3", "kmin": "5%", "groups": 0, "feeding": 4097, "slices": 65, "kmax": "7",
			"reserved": "x"}`,
			[]string{`pool: \"10\" is not`, `alpha: \"3\" is not an alpha`, "queue_limit: ", "groups 0 (want 1 to 4096)",
				"feeding 4097 (want 1 to 4096)", "slices 65 (want 1 to 64)", "cell or chip: ", "kmax: ", "pmax: ", "reserved: "}},
		{`{"pool": "1MiB", "cell": "0B", "kmin": "101%", "alpha": "1", "dynamic_th": 11, "static": "1B"}`,
			[]string{"alpha and dynamic_th (want one of them)", "dynamic_th 11 (want -10 to 10)", `cell \"0B\": a cell has`,
				"static with alpha or dynamic_th (want one of them)", "kmin 101%: a fill level is 0% to 100%"}},
		{`{"pool": "1MiB", "chip": "none", "kmin": "1B"}`, []string{"chip: unknown chip"}},
		{`{"pool": "1MiB", "chip": "../examples/tomahawk5-fboss-chip.yaml", "kmin": "1B"}`, []string{"chip: unknown chip"}},
		{`{"junos": "qfx5120", "kmin": "50%"}`, []string{`no switch \"qfx5120\" (want qfx3500`}},
		{`{"junos": "qfx3500", "pool": "1MiB", "kmin": "50%"}`, []string{"pool (want it without junos"}},
		{`{"junos": "qfx3500", "kmin": "10%", "feeding": 2}`, []string{"alpha: needed, because Junos's default"}},
		{`{"pool": "1MiB", "cell": "208B", "kmin": "5B", "class": "rdma"}`, []string{"class: accepted with topology"}},
		{`{"pool": "1MiB", "cell": "208B", "kmin": "5B", "set": ["a=b"]}`, []string{"set: accepted with topology"}},
		{`{"pool": "9223372036854775807B", "cell": "1B", "kmin": "5B"}`, []string{"cells"}},
	} {
		answer := text(t, send(t, h, "POST", "/v1/ecn", x.question), 422)
		for _, want := range x.want {
			require.Contains(t, answer, want, x.question)
		}
	}
}

// What does not go together in a question about links is refused, and so is what is too much for one request.
func TestLinksRefused(t *testing.T) {
	h := web.New(web.Options{})
	a := map[string]any{"topology": small, "port": "Ethernet1"}
	without := map[string]any{"topology": small}
	many := []byte("a,b\n")
	for i := range 4097 {
		many = fmt.Appendf(many, "x%d:1,y%d:1\n", i, i)
	}
	wide, widest := map[string]any{}, "a,b\n" // 128 topologies of 516 ports
	for i := range 128 {
		wide[fmt.Sprint("x", i)] = "chip: tomahawk6\nheadroom: {method: ieee802.1qbb}\n" +
			"classes: [{name: rdma, priorities: [3], lossless: true}]\nports: [{range: Ethernet1-516, speed: 10G, cable: 5m}]\n"
		widest += fmt.Sprintf("x%d:Ethernet1,x%d:Ethernet2\n", i, i)
	}
	// Machines whose interfaces all have one name: each hears the other many times.
	one := `{"name": "e", "chassis": {"id": {"type": "local", "value": "c"}},
		"port": {"id": {"type": "ifname", "value": "e"}}}`
	crowd := `{"lldp": {"interface": [` + strings.Repeat(one+",", 99) + one + `]}}`
	for _, x := range []struct {
		question map[string]any
		want     string
	}{
		{map[string]any{}, "want a and b; or fabric and topologies; or lldp; or lldp_pcap"},
		{map[string]any{"a": a}, "want a and b; "},
		{map[string]any{"b": a}, "b (want a too)"},
		{map[string]any{"a": without, "b": a}, "a.port (want a port of the topology)"},
		{map[string]any{"a": a, "b": without}, "b.port (want a port of the topology)"},
		{map[string]any{"a": a, "b": a, "lldp": []string{"{}"}}, "b, fabric, lldp and lldp_pcap (want one of them)"},
		{map[string]any{"a": a, "fabric": "a,b\n"}, "fabric with a (want fabric alone"},
		{map[string]any{"a": a, "lldp": []string{"{}", "{}"}}, "lldp twice with a (want the two machines alone"},
		{map[string]any{"lldp": []string{"{}"}}, "lldp (want it with a, or twice without it)"},
		{map[string]any{"a": without, "lldp_pcap": []byte("x")}, "a.port (want a port of the topology)"},
		{map[string]any{"a": a, "b": a, "topologies": map[string]any{"x": small}}, "topologies (want them with fabric)"},
		{map[string]any{"fabric": "x,y"}, "fabric:1: \"x,y\" (want a first line a,b)"},
		{map[string]any{"fabric": "a,b\nx:1,y:2\n"}, "fabric:2: no topology \"x\" (want one of topologies: )"},
		{map[string]any{"fabric": "a,b\nx:Ethernet1,x:Ethernet9\n", "topologies": map[string]any{"x": small}},
			"fabric:2: x: no port \"Ethernet9\" (want Ethernet1-8)"},
		{map[string]any{"fabric": "a,b\nx:Ethernet1,x:Ethernet2\n", "topologies": map[string]any{"x": small, "y": small}},
			"topologies: \"y\" has no cable in fabric"},
		{map[string]any{"fabric": "a,b\nx:Ethernet1,y:Ethernet2\n",
			"topologies": map[string]any{"x": small, "y": "chip: none"}}, "y:1: "},
		{map[string]any{"fabric": string(many), "topologies": map[string]any{"x0": small}},
			"fabric: 4097 cables (want at most 4096)"},
		{map[string]any{"fabric": widest, "topologies": wide}, "fabric:129: topologies: more than 65536 ports (want fewer)"},
		{map[string]any{"lldp_pcap": []byte("x")}, "lldp_pcap: no capture that can be read (want pcap and pcapng"},
		{map[string]any{"a": a, "lldp": []string{"x"}}, "lldp[0]: no JSON of lldpcli"},
		{map[string]any{"lldp": []string{crowd, crowd}}, "lldp[0] and lldp[1] have more links than are want 4096"},
	} {
		question := with(t, x.question, nil)
		answer := text(t, send(t, h, "POST", "/v1/link", question), 422)
		var told struct{ Errors []struct{ Message string } }
		require.NoError(t, json.Unmarshal([]byte(answer), &told))
		require.NotEmpty(t, told.Errors, answer)
		require.Contains(t, told.Errors[0].Message, x.want, "%.300s", question)
	}
}

// The operations have the bounds of all: the size of a question, its keys, the time of an answer, and no files.
func TestMoreBounds(t *testing.T) {
	h, hurried := web.New(web.Options{}), web.New(web.Options{Time: time.Nanosecond})
	secret := t.TempDir() + "/secret.yaml"
	require.NoError(t, os.WriteFile(secret, []byte("a-secret-word: x\n"), 0o600))
	for name, question := range more() {
		key, place := "topology", `"message":"topology`
		texts := func(text string) map[string]any { return map[string]any{key: text} } // a question with another text
		switch name {
		case "audit":
			key, place = "configuration", `"message":"configuration: 0 characters (want at least 1)`
		case "ecn":
			place = `"message":"set: accepted with topology`
		case "link":
			place = `"message":"a`
			texts = func(text string) map[string]any {
				return map[string]any{"a": map[string]any{"topology": text, "port": "Ethernet1"}}
			}
		}
		path := "/v1/" + name
		long := with(t, question, texts(strings.Repeat("x", 2<<20)))
		require.Contains(t, text(t, send(t, h, "POST", path, long), 413), `"status":413`)
		for want, values := range map[string]map[string]any{`\"file\": this question has no such key`: {"file": "x"}, place: texts("")} {
			require.Contains(t, text(t, send(t, h, "POST", path, with(t, question, values)), 422), want)
		}
		text(t, send(t, hurried, "POST", path, with(t, question, nil)), 503)
		text(t, send(t, h, "POST", path, with(t, question, nil), "Sec-Fetch-Site", "cross-site"), 403)
		named := with(t, question, texts("chip: "+secret+"\nclasses: []\nports: []\n"))
		if name == "audit" {
			named = with(t, question, map[string]any{"chip": secret})
		}
		answer := text(t, send(t, h, "POST", path, named), 422)
		require.NotContains(t, answer, "secret-word")
		require.NotContains(t, answer, "no such file")
	}
	// A headroom table can have a finding in every line; so many are not listed.
	rows := strings.Repeat("100000 5m 1248 2288 1 0\n", 20_000)
	var doc struct {
		Checked struct {
			NotListed int `json:"findings_not_listed"`
		}
		Findings []json.RawMessage
	}
	table := map[string]any{"configuration": rows, "chip": "tomahawk"}
	answer := text(t, send(t, h, "POST", "/v1/audit", with(t, table, nil)), 200)
	require.NoError(t, json.Unmarshal([]byte(answer), &doc))
	require.LessOrEqual(t, len(doc.Findings), audit.MaxFindings)
	require.Positive(t, doc.Checked.NotListed, "%d findings", len(doc.Findings))
}

// FuzzMore: whatever a question says, the answer is a document or a refusal, and no fault of the program.
func FuzzMore(f *testing.F) {
	for name, question := range more() {
		f.Add(name, with(f, question, nil))
	}
	f.Add("audit", `{"configuration": "set class-of-service", "peer": "{}", "headroom_table": "100000 5m"}`)
	f.Add("sweep", `{"topology": "chip: tomahawk", "vary": ["cable=1m..2m:2", "ports[*].mtu=1B"]}`)
	f.Add("explain", `{"topology": {}, "port": "\u0000", "items": ["slice"]}`)
	f.Add("risk", `{"topology": "chip: tomahawk", "congested": "1%", "fan_in": 4097, "seed": 0}`)
	f.Add("ecn", `{"topology": "chip: tomahawk", "feeding": -1, "rtt": "1us", "flows": -1}`)
	f.Add("ecn", `{"pool": "1MiB", "cell": "1B", "kmin": "10%", "queue_limit": "9B", "static": "0B", "slices": -1}`)
	f.Add("link", `{"lldp": ["{\"lldp\": {\"interface\": {\"e\": {}}}}", "{\"lldp\": []}"]}`)
	f.Add("link", `{"fabric": "a,b\nx:1,x:2\n", "topologies": {"x": "chip: tomahawk"}}`)
	f.Add("link", `{"a": {"topology": {}, "port": "1"}, "lldp_pcap": "1MOyoQIABAAAAAAAAAAAAP////8BAAAA"}`)
	f.Add("ecn", `{"junos": "qfx3500,lossless=,memory=9223372036854775807B", "kmin": "1%"}`)
	f.Add("link", `{"a": {"topology": "chip: tomahawk", "port": ":"}, "b": {"topology": {}, "port": "b"}}`)
	h := web.New(web.Options{Log: func(text string) { f.Error(text) }})
	f.Fuzz(func(t *testing.T, name, body string) {
		if more()[name] == nil {
			return
		}
		r := send(t, h, "POST", "/v1/"+name, body)
		require.Less(t, r.StatusCode, 500, body)
	})
}
