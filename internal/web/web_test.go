package web_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/internal/web"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// A controller asks whether a switch fits.
func Example() {
	server := httptest.NewServer(web.New(web.Options{}))
	defer server.Close()
	question := `{"topology": "chip: tomahawk\nheadroom: {method: ieee802.1qbb}\n` +
		`classes: [{name: rdma, priorities: [3], lossless: true}]\n` +
		`ports: [{range: Ethernet1-4, speed: 100G, cable: 300m}]", "set": ["ports[0].cable=40km"]}`
	response, err := http.Post(server.URL+"/v1/plan", "application/json", strings.NewReader(question))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	var plan struct {
		Verdict string
		Refused int `json:"refused_ports"`
	}
	if err := json.NewDecoder(response.Body).Decode(&plan); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(response.StatusCode, plan.Verdict, plan.Refused)
	// Output: 200 does-not-fit 4
}

// small is a topology that fits.
const small = `chip: tomahawk
headroom: {method: ieee802.1qbb, delays: larger}
classes:
  - {name: rdma, priorities: [3], lossless: true, alpha: 1}
ports:
  - {range: "Ethernet1-4", speed: 100G, cable: 300m}
  - {range: "Ethernet5-8", speed: 100G, cable: 5m}
`

// send sends a request to a handler.
func send(t testing.TB, h http.Handler, method, path, body string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// text reads an answer and requires its status.
func text(t testing.TB, r *http.Response, status int) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, status, r.StatusCode, "%.2000s", data)
	return string(data)
}

// question is a topology with changes, as JSON.
func question(t testing.TB, topology string, set ...string) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"topology": topology, "set": append([]string{}, set...)})
	require.NoError(t, err)
	return string(data)
}

// The API returns the published document, for a topology as text and as an object.
func TestPlan(t *testing.T) {
	h := web.New(web.Options{})
	in, err := topology.Parse("t", []byte(small), nil, topology.NewChange("ports[0].cable", "1km"))
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	want, err := json.Marshal(report.Plan(plan))
	require.NoError(t, err)
	var got map[string]any
	answer := text(t, send(t, h, "POST", "/v1/plan", question(t, small, "ports[0].cable=1km")), 200)
	require.NoError(t, json.Unmarshal([]byte(answer), &got))
	require.Equal(t, []any{"ports[0].cable=1km"}, got["set"])
	delete(got, "set")
	again, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(again))

	object := `{"topology": {"chip": "tomahawk", "headroom": {"method": "ieee802.1qbb", "delays": "larger"},
		"classes": [{"name": "rdma", "priorities": [3], "lossless": true, "alpha": 1}],
		"ports": [{"range": "Ethernet1-4", "speed": "100G", "cable": "300m"},
			{"range": "Ethernet5-8", "speed": "100G", "cable": "5m"}]}, "set": ["ports[0].cable=1km"]}`
	require.JSONEq(t, answer, text(t, send(t, h, "POST", "/v1/plan", object), 200))
}

// Every example can be asked for and planned.
func TestExamples(t *testing.T) {
	h := web.New(web.Options{})
	var choices struct{ Examples, Methods []string }
	require.NoError(t, json.Unmarshal([]byte(text(t, send(t, h, "GET", "/v1/choices", ""), 200)), &choices))
	require.Equal(t, examples.Topologies(), choices.Examples)
	require.Contains(t, choices.Methods, "ieee802.1qbb")
	for _, name := range choices.Examples {
		var example struct{ Topology string }
		require.NoError(t, json.Unmarshal([]byte(text(t, send(t, h, "GET", "/v1/examples/"+name, ""), 200)), &example))
		text(t, send(t, h, "POST", "/v1/plan", question(t, example.Topology)), 200)
		text(t, send(t, h, "POST", "/page/answer", question(t, example.Topology)), 200)
	}
	for _, name := range []string{"nothing.yaml", "..%2FREADME.md", "%2Fetc%2Fpasswd", "examples.go"} {
		text(t, send(t, h, "GET", "/v1/examples/"+name, ""), 404)
	}
}

// The other documents.
func TestVerifyDiffHeadroom(t *testing.T) {
	h := web.New(web.Options{})
	require.Contains(t, text(t, send(t, h, "POST", "/v1/verify", question(t, small)), 200),
		`"schema":"cellwarden.verify/v1","verdict":"lossless"`)
	require.Contains(t, text(t, send(t, h, "POST", "/v1/verify", question(t, small, "ports[0].cable=40km")), 422),
		"nothing was verified: ingress buffer allocation failed for interface Ethernet1")
	diff := text(t, send(t, h, "POST", "/v1/diff",
		`{"from":`+question(t, small)+`,"to":`+question(t, small, "ports[1].cable=100m")+`}`), 200)
	require.Contains(t, diff, `"schema":"cellwarden.diff/v1","alike":false`)
	require.Contains(t, diff, `"set":["ports[1].cable=100m"]`)
	require.Contains(t, text(t, send(t, h, "POST", "/v1/diff",
		`{"from":`+question(t, small)+`,"to":`+question(t, small)+`}`), 200), `"alike":true`)
	var asked map[string]any
	require.NoError(t, json.Unmarshal([]byte(question(t, small)), &asked))
	asked["only"] = []string{"cable"}
	body, err := json.Marshal(asked)
	require.NoError(t, err)
	answers := text(t, send(t, h, "POST", "/v1/capacity", string(body)), 200)
	require.Contains(t, answers, `"schema":"cellwarden.capacity/v1","verdict":"fits"`)
	require.Contains(t, answers, `{"question":"cable","ports":"Ethernet1-4",`)
	asked["only"] = []string{"colour"}
	body, err = json.Marshal(asked)
	require.NoError(t, err)
	require.Contains(t, text(t, send(t, h, "POST", "/v1/capacity", string(body)), 422), "only: ")
	// The numbers of `cellwarden headroom --speed 100G --cable 300m --chip tomahawk`.
	headroom := text(t, send(t, h, "POST", "/v1/headroom", `{"chip":"tomahawk","speed":"100G","cable":"300m"}`), 200)
	require.Contains(t, headroom, `"schema":"cellwarden.headroom/v1","method":"ieee802.1qbb"`)
	require.Contains(t, headroom, `"xoff_cells":1335,`)
	require.Contains(t, text(t, send(t, h, "POST", "/v1/headroom",
		`{"chip":"tomahawk","speed":"100G","cable":"300m","lossless_mtu":"4096B","headroom":{"method":"ieee802.1qbb","frame":"1500B"}}`),
		200), `"frame_bytes":1500`)
	require.Contains(t, text(t, send(t, h, "POST", "/v1/headroom", `{"chip":"tomahawk","speed":"100G"}`), 422), "ports[0]")
}

// What is wrong with a question is in the answer, each complaint by itself.
func TestRefusedQuestions(t *testing.T) {
	h := web.New(web.Options{})
	var refused struct {
		Status int
		Errors []struct{ Message string }
	}
	answer := text(t, send(t, h, "POST", "/v1/plan", question(t, "chip: tomahawk99\nclasses: []\nports: []\n")), 422)
	require.NoError(t, json.Unmarshal([]byte(answer), &refused))
	require.Greater(t, len(refused.Errors), 2)
	require.Contains(t, answer, `"message":"topology:1: chip: \"tomahawk99\"`)
	for body, status := range map[string]int{
		"":                                 400,
		"{":                                400,
		`{"topology": 5}`:                  422,
		`{"topology": ""}`:                 422,
		`{"topology": null}`:               422,
		`{"topology": []}`:                 422,
		`{}`:                               422,
		question(t, small, "nothing"):      422,
		question(t, small, "a=b"):          422,
		`{"topology": "x", "file": "y"}`:   422,
		`{"topology": "&a [*a]"}`:          422,
		`{"topology": {"chip": {"a": 1}}}`: 422,
		`{"topology": "` + strings.Repeat("x", 2<<20) + `"}`: 413,
	} {
		text(t, send(t, h, "POST", "/v1/plan", body), status)
	}
	text(t, send(t, h, "GET", "/v1/plan", ""), 405)
	text(t, send(t, h, "GET", "/nothing", ""), 404)
	text(t, send(t, h, "POST", "/page/answer", "topology=x", "Content-Type", "application/x-www-form-urlencoded"), 415)
	text(t, send(t, h, "POST", "/page/answer", `{"topology":"x","file":"y"}`), 400)
	text(t, send(t, h, "POST", "/page/answer", `{"topology":"`+strings.Repeat("x", 2<<20)+`"}`), 413)
	require.Contains(t, text(t, send(t, h, "POST", "/page/answer", question(t, "chip: x")), 422), `"errors":[`)
	text(t, send(t, h, "POST", "/page/report", question(t, "chip: x")), 422)
}

// The page learns which field a complaint is about, and beside an answer the verdict with one number.
func TestFieldsOfThePage(t *testing.T) {
	h := web.New(web.Options{})
	type field struct{ Path, Text string }
	var answer struct {
		Verdict, Number, Tone string
		Errors                []string
		Fields                []field
	}
	ask := func(topology string, status int, set ...string) {
		t.Helper()
		answer.Fields = nil
		body := text(t, send(t, h, "POST", "/page/answer", question(t, topology, set...)), status)
		require.NoError(t, json.Unmarshal([]byte(body), &answer))
	}
	ask(small, 200)
	require.Contains(t, text(t, send(t, h, "POST", "/v1/plan", question(t, small)), 200), `"shared_cells":15363,`)
	require.Equal(t, []string{"FITS", "15,363 cells (3.20 MB) shared in the slice with the fewest", "good"},
		[]string{answer.Verdict, answer.Number, answer.Tone})
	ask(small, 200, "ports[0].cable=40km")
	require.Equal(t, "bad", answer.Tone)
	require.Regexp(t, `^DOES NOT FIT: 4 ports are refused`, answer.Verdict)
	require.NotContains(t, answer.Verdict, "40km")
	require.Regexp(t, `^[0-9,]+ cells \([0-9.]+ MB\) short$`, answer.Number)

	for _, x := range []struct{ set, path, text string }{
		{"classes[0].alpha=5", "classes[0].alpha", `classes[0].alpha: "5" is not an alpha`},
		{"headroom.frame=x", "headroom.frame", `headroom: frame: "x" is not `},
		{"ports[0].cable=5q", "ports[0].cable", `ports[0].cable: "5q" is not a length`},
		{"nothing", "nothing", `set: "nothing": no = (want`},
		{"=5", "=5", `set: "=5": `},
	} {
		ask(small, 422, x.set)
		require.Len(t, answer.Errors, 1, x.set)
		require.Len(t, answer.Fields, 1, "%s: %v", x.set, answer.Errors)
		require.Equal(t, x.path, answer.Fields[0].Path)
		require.True(t, strings.HasPrefix(answer.Fields[0].Text, x.text), answer.Fields[0].Text)
	}
	// All at once: changes that are none do not hide those that are wrong.
	answer.Errors = nil
	ask(small, 422, "nothing", "classes[0].alpha=5", "=5", "ports[0].cable=5q")
	require.Len(t, answer.Errors, 4)
	paths := make([]string, len(answer.Fields))
	for i, f := range answer.Fields {
		paths[i] = f.Path
	}
	require.ElementsMatch(t, []string{"nothing", "=5", "classes[0].alpha", "ports[0].cable"}, paths)
	ask("chip: x\nports: 5\n", 422)
	require.Len(t, answer.Fields, len(answer.Errors))
	for _, f := range answer.Fields {
		require.Empty(t, f.Path)
		require.Regexp(t, `^line [0-9]+: `, f.Text)
	}
}

// The page of the server has a label for each field, names no other server, and says without a script what it is for.
func TestThePage(t *testing.T) {
	h := web.New(web.Options{})
	html := text(t, send(t, h, "GET", "/", ""), 200)
	require.Contains(t, html, `<p id="verdict" class="bar" role="status">`)
	require.Contains(t, html, "<noscript>")
	for _, m := range regexp.MustCompile(`<textarea id="([a-z]+)"`).FindAllStringSubmatch(html, -1) {
		require.Contains(t, html, `<label for="`+m[1]+`">`)
	}
	require.Less(t, strings.Index(html, `id="sliders"`), strings.Index(html, `id="topology"`), "what if comes first")
	require.NotRegexp(t, `https?://|style="|onclick|<style`, html)
	script := text(t, send(t, h, "GET", "/page.js", ""), 200)
	for _, part := range []string{`"aria-valuetext"`, `"aria-invalid"`, `"aria-describedby"`} {
		require.Contains(t, script, part)
	}
	require.NotContains(t, script, "http")
}

// A topology cannot have the server read a file, whatever it names.
func TestNoFileIsRead(t *testing.T) {
	h := web.New(web.Options{})
	secret := t.TempDir() + "/secret.yaml"
	require.NoError(t, os.WriteFile(secret, []byte("a-secret-word: x\n"), 0o600))
	for _, path := range []string{secret, "/etc/passwd", "../examples/nh-4210.ini", "./nh-4210.ini/../../go.mod",
		"/dev/zero", "web_test.go"} {
		for _, body := range []string{
			"chip: " + path + "\nheadroom: {method: ieee802.1qbb}\nclasses: []\nports: []\n",
			"chip: tomahawk\nheadroom: {method: table, table: " + path + "}\nclasses: []\nports: []\n",
		} {
			for _, to := range []string{"/v1/plan", "/v1/verify", "/page/answer", "/page/report"} {
				answer := text(t, send(t, h, "POST", to, question(t, body)), 422)
				require.NotContains(t, answer, "secret-word")
				require.NotContains(t, answer, "no such file")
				require.NotContains(t, answer, "root:")
			}
		}
		body, err := json.Marshal(map[string]string{"chip": path, "speed": "100G", "cable": "5m"})
		require.NoError(t, err)
		text(t, send(t, h, "POST", "/v1/headroom", string(body)), 422)
	}
}

// Every answer has the headers that keep it where it belongs. Pages of other origins, and other names of the server,
// are refused; no other origin is allowed to read anything.
func TestGuards(t *testing.T) {
	h := web.New(web.Options{})
	for _, path := range []string{"/", "/page.js", "/page.css", "/v1/choices", "/openapi.json", "/health", "/metrics",
		"/nothing"} {
		r := send(t, h, "GET", path, "", "Origin", "https://elsewhere.example")
		require.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'", path)
		require.NotContains(t, r.Header.Get("Content-Security-Policy"), "unsafe")
		require.Equal(t, "nosniff", r.Header.Get("X-Content-Type-Options"), path)
		require.Equal(t, "same-origin", r.Header.Get("Cross-Origin-Resource-Policy"), path)
		for name := range r.Header {
			require.NotContains(t, name, "Access-Control", path)
		}
	}
	ask := question(t, small)
	text(t, send(t, h, "POST", "/v1/plan", ask, "Sec-Fetch-Site", "cross-site"), 403)
	text(t, send(t, h, "POST", "/v1/plan", ask, "Origin", "https://elsewhere.example"), 403)
	text(t, send(t, h, "POST", "/page/answer", ask, "Sec-Fetch-Site", "same-site"), 403)
	text(t, send(t, h, "POST", "/v1/plan", ask, "Sec-Fetch-Site", "same-origin", "Origin", "http://127.0.0.1:8080"), 200)
	for _, name := range []string{"elsewhere.example", "elsewhere.example:8080", "127.0.0.1.elsewhere.example", ""} {
		text(t, send(t, h, "GET", "/", "", "Host", name), 421)
	}
	for _, name := range []string{"localhost:8080", "127.0.0.1", "[::1]:8080", "LOCALHOST", "localhost.:8080"} {
		text(t, send(t, h, "GET", "/", "", "Host", name), 200)
	}
	text(t, send(t, web.New(web.Options{Hosts: []string{"*"}}), "GET", "/", "", "Host", "elsewhere.example"), 200)
}

// The API describes itself: every route, with the types of its answers.
func TestOpenAPI(t *testing.T) {
	h := web.New(web.Options{Version: "v9"})
	var api struct {
		OpenAPI string
		Info    struct{ Version string }
		Paths   map[string]map[string]struct{ Summary, OperationID string }
		Schemas struct{} `json:"-"`

		Components struct{ Schemas map[string]json.RawMessage }
	}
	answer := text(t, send(t, h, "GET", "/openapi.json", ""), 200)
	require.NoError(t, json.Unmarshal([]byte(answer), &api))
	require.True(t, strings.HasPrefix(api.OpenAPI, "3.1"))
	require.Equal(t, "v9", api.Info.Version)
	for _, path := range []string{"/v1/plan", "/v1/verify", "/v1/headroom", "/v1/diff", "/v1/capacity", "/v1/burst",
		"/v1/explain", "/v1/sweep", "/v1/audit", "/v1/risk", "/v1/ecn",
		"/v1/link"} {
		require.NotEmpty(t, api.Paths[path]["post"].Summary, path)
	}
	require.Contains(t, api.Paths, "/health")
	require.Contains(t, answer, `"shared_headroom"`)
	require.Contains(t, answer, `"xoff_cells"`)
	require.NotContains(t, answer, "$schema")
	// Texts of fields come from their tags, and long ones from a table.
	require.Contains(t, answer, "length of a pause, with pauses")
	require.Contains(t, answer, "depth above which the queue marks, or a fill level in percent of queue_limit")
}

// Requests are counted by route and status.
func TestMetrics(t *testing.T) {
	h := web.New(web.Options{})
	text(t, send(t, h, "GET", "/health", ""), 200)
	text(t, send(t, h, "POST", "/v1/plan", question(t, small)), 200)
	text(t, send(t, h, "POST", "/v1/plan", question(t, "x")), 422)
	text(t, send(t, h, "GET", "/nothing/"+strings.Repeat("x", 100), ""), 404)
	metrics := text(t, send(t, h, "GET", "/metrics", ""), 200)
	for _, line := range []string{
		`cellwarden_http_requests_total{route="GET /health",status="200"} 1`,
		`cellwarden_http_requests_total{route="POST /v1/plan",status="200"} 1`,
		`cellwarden_http_requests_total{route="POST /v1/plan",status="422"} 1`,
		`cellwarden_http_requests_total{route="none",status="404"} 1`,
		"cellwarden_http_requests_working 0",
	} {
		require.Contains(t, metrics, line)
	}
	require.NotContains(t, metrics, "xxx")
}

// FuzzPlan: whatever a body is, the answer is a plan or a refusal, and no fault of the program.
func FuzzPlan(f *testing.F) {
	f.Add(question(f, small, "ports[0].cable=2km"))
	f.Add(`{"topology": {"chip": "tomahawk", "ports": [{}]}, "set": ["a[0]=[1"]}`)
	f.Add(`{"topology": "chip: \u0000"}`)
	f.Add("\x00\xff")
	h := web.New(web.Options{Log: func(text string) { f.Error(text) }})
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/plan", "/page/answer"} {
			r := send(t, h, "POST", path, body)
			require.Less(t, r.StatusCode, 500, body)
		}
	})
}

// BenchmarkPageAnswer is what a reader waits for who drags a cable of a switch with 512 ports. Both plan and page
// count.
func BenchmarkPageAnswer(b *testing.B) {
	h := web.New(web.Options{})
	big := strings.NewReplacer("Ethernet1-4", "Ethernet1-256", "Ethernet5-8", "Ethernet257-512", "tomahawk",
		"spectrum-6").Replace(small)
	for name, set := range map[string]string{"fits": "ports[0].cable=10m", "refused": "ports[0].cable=10km"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ask := question(b, big, set)
			for b.Loop() {
				text(b, send(b, h, "POST", "/page/answer", ask), 200)
			}
		})
	}
}
