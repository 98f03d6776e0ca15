package pages_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/internal/web"
	"github.com/cellwarden/cellwarden/interop/browser"
	"github.com/cellwarden/cellwarden/topology"
)

// goes runs the go command in the checkout.
func goes(t *testing.T, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir = filepath.Join("..", "..")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

// scratch is a folder for what several tests use.
var scratch string

// TestMain removes it.
func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "cellwarden-pages"); err != nil {
		panic(err)
	}
	code := browser.Main(m)
	os.RemoveAll(scratch)
	os.Exit(code)
}

// made makes the page that needs no server, as docs/serve.md says, and the module of it, once: the module takes long.
var made sync.Once

// live returns the folder that has them.
func live(t *testing.T) string {
	t.Helper()
	made.Do(func() {
		goes(t, "run", "./internal/live/make.go", filepath.Join(scratch, "cellwarden.html"), scratch)
	})
	return scratch
}

// request is one request of a page, and what is answered.
type request struct{ Path, Body string }

// slow are examples whose worst case is simulated for many seconds in a browser: their simulation is left out here.
var slow = map[string]bool{"nh-4210-included.yaml": true, "ratio-1-4.yaml": true}

// requests are what can be asked about a topology.
func requests(t *testing.T, name string) (out []request) {
	t.Helper()
	text, err := examples.Read(name)
	require.NoError(t, err)
	file, err := topology.Read(name, text, examples.Read)
	require.NoError(t, err)
	ask := func(path string, question map[string]any) {
		question["topology"] = string(text)
		if path == "/v1/diff" {
			question = map[string]any{"from": question, "to": map[string]any{"topology": string(text),
				"set": []string{file.Entries[0].Path + ".mtu=1518B"}}}
		}
		body, err := json.Marshal(question)
		require.NoError(t, err)
		out = append(out, request{path, string(body)})
	}
	ask("/page/answer", map[string]any{"full": true})
	ask("/page/report", map[string]any{"verify": !slow[name]})
	ask("/v1/explain", map[string]any{"port": file.Intent.Ports[0].Name})
	ask("/v1/risk", map[string]any{"congested": "1%", "fan_in": 8})
	for _, name := range []string{"plan", "capacity", "burst", "diff"} {
		ask("/v1/"+name, map[string]any{})
	}
	if !slow[name] {
		ask("/v1/verify", map[string]any{})
	}
	return append(out, request{Path: "/v1/examples/" + name})
}

// The module of the page answers with the bytes of the server, for every example and every question that the page asks,
// in the same browser and by the same code of the page.
func TestPageAloneAnswersAsTheServer(t *testing.T) {
	tab := browser.Open(t)
	server := httptest.NewServer(web.New(web.Options{}))
	t.Cleanup(server.Close)
	asked := []request{{Path: "/v1/choices"}}
	for _, name := range examples.Topologies() {
		asked = append(asked, requests(t, name)...)
	}
	list, err := json.Marshal(asked)
	require.NoError(t, err)
	type answer struct {
		Status int
		Text   string
	}
	answers := func(page string) []answer {
		tab.Visit(page)
		return browser.Await[[]answer](tab, fmt.Sprintf(`(async()=>{const out=[];for(const q of %s)
			out.push(await cellwarden.request(q.Path,q.Body===""?undefined:q.Body));return out})()`, list))
	}
	here, there := answers("file://"+filepath.Join(live(t), "cellwarden.html")), answers(server.URL)
	require.Len(t, here, len(asked))
	good := map[string]int{}
	for i, q := range asked {
		require.Equal(t, there[i].Status, here[i].Status, "%s %.300s", q.Path, here[i].Text)
		require.True(t, there[i].Text == here[i].Text, "%s: %d and %d bytes: %s", q.Path, len(there[i].Text),
			len(here[i].Text), firstDifference(there[i].Text, here[i].Text))
		if here[i].Status == 200 {
			good[q.Path]++
		}
	}
	for _, path := range []string{"/page/answer", "/page/report", "/v1/plan", "/v1/verify", "/v1/capacity", "/v1/burst",
		"/v1/explain", "/v1/risk", "/v1/diff"} {
		require.Positive(t, good[path], "no example is answered by %s", path)
	}
	t.Logf("%d equal answers; those that are no refusals: %v", len(asked), good)
}

// turning asks the page a question, and counts how often the page itself has a turn until the answer is there: as often as
// it can if the question is answered elsewhere, once or twice if the page works on it. gap is the longest time between
// two pictures meanwhile, and ready the time from the beginning of the page to its first answer, in milliseconds.
const turning = `(async()=>{
	await cellwarden.request("/v1/choices");
	const ready=Math.round(performance.now());
	let turns=0,gap=0,last=performance.now(),done=false;
	const turn=()=>{turns++;if(!done)setTimeout(turn)};
	const frame=()=>{const now=performance.now();gap=Math.max(gap,now-last);last=now;if(!done)requestAnimationFrame(frame)};
	turn();
	requestAnimationFrame(frame);
	const answer=await cellwarden.request("/page/answer",%q);
	done=true;
	return {turns,ready,gap:Math.round(gap),status:answer.status}})()`

// turns tells that a page that plans by itself is not held by its planning. The times are figures of the machine: they
// are printed, and not judged.
func turns(t *testing.T, tab *browser.Tab, name string) {
	t.Helper()
	text, err := examples.Read(name)
	require.NoError(t, err)
	body, err := json.Marshal(map[string]any{"topology": string(text), "full": true})
	require.NoError(t, err)
	out := browser.Await[struct{ Turns, Ready, Gap, Status int }](tab, fmt.Sprintf(turning, body))
	require.Equal(t, 200, out.Status)
	require.Greater(t, out.Turns, 5, "turns of the page while its module plans")
	t.Logf("%s: first answer %d ms after the page began; while the module planned, the page had %d turns, and at most %d ms "+
		"between two pictures", name, out.Ready, out.Turns, out.Gap)
}

// firstDifference shows where two texts differ.
func firstDifference(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	cut := func(s string) string { return s[max(0, at-60):min(len(s), at+60)] }
	return strings.Join([]string{cut(a), cut(b)}, "\n")
}

// A colleague opens the page that plan --live has made of a topology with a headroom table of its own: the plan is there
// before anything has run, values can be changed, further questions are answered, and nothing leaves the page.
func TestLivePageOfAPlan(t *testing.T) {
	tab := browser.Open(t)
	dir := t.TempDir()
	built := map[string]string{}
	for _, name := range []string{"worker.wasm.gz", "wasm_exec.js", "commit"} {
		module, err := filepath.Abs(filepath.Join("..", "..", "internal", "live", "module", name))
		require.NoError(t, err)
		built[module] = filepath.Join(live(t), name)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": built})
	require.NoError(t, err)
	list := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(list, overlay, 0o600))
	command := filepath.Join(dir, "cellwarden")
	goes(t, "build", "-overlay", list, "-o", command, "./cmd/cellwarden")

	for name, to := range map[string]string{"nh-4210.yaml": "leaf.yaml", "nh-4210.ini": "nh-4210.ini"} {
		text, err := examples.Read(name)
		require.NoError(t, err)
		if to == "leaf.yaml" {
			text = []byte(strings.ReplaceAll(string(text), "nh-4210.ini", "own.ini"))
		} else {
			to = "own.ini"
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), text, 0o600))
	}
	c := exec.CommandContext(t.Context(), command, "plan", "leaf.yaml", "--live", "--html", "leaf.html", "--set",
		"pool.shared_headroom=20MiB")
	c.Dir = dir
	out, err := c.CombinedOutput()
	require.Contains(t, []int{0, 3}, c.ProcessState.ExitCode(), "%v: %s", err, out)
	page, err := os.ReadFile(filepath.Join(dir, "leaf.html"))
	require.NoError(t, err)
	head := strings.SplitN(strings.SplitN(string(page), "<title>", 2)[1], "</title>", 2)[0]
	require.Regexp(t, `^(FITS|DOES NOT FIT).*pool\.shared_headroom=20MiB.* - leaf\.yaml$`, head)

	tab.Size(1400, 900, false)
	tab.Visit("file://" + filepath.Join(dir, "leaf.html"))
	turns(t, tab, "tomahawk5-fboss.yaml")
	tab.Until(`document.querySelectorAll("#sliders [data-path]").length>3`)
	require.Equal(t, "20MiB", browser.Value[string](tab,
		`document.querySelector('[data-path="pool.shared_headroom"] input').value`))
	require.Contains(t, browser.Value[string](tab, `document.querySelector("#files").textContent`), "own.ini")
	put(tab, `[data-path="ports[0].cable"] input`, "input", "540")
	tab.Until(`document.title.includes("ports[0].cable=500m")`) // a row of the table
	browser.Value[bool](tab, `(document.querySelector("#ask").click(),true)`)
	tab.Until(`document.querySelector("#document h2").textContent=="capacity"`)
	require.Contains(t, browser.Value[string](tab, `document.querySelector("#document table").textContent`), "cable")
	put(tab, "#question", "change", "explain")
	require.True(t, browser.Value[bool](tab, `document.querySelector("#port").offsetHeight>0`))
	require.True(t, browser.Value[bool](tab, `document.querySelector("#congested").offsetHeight==0`))
	for _, width := range widths {
		tab.Size(width, 900, width == 600)
		require.Empty(t, browser.Value[string](tab, faint))
		fits(t, tab, fmt.Sprintf("live-%d", width))
	}

	// The page that such a program serves is the same, and asks the server nothing.
	server := exec.CommandContext(t.Context(), command, "serve", "--listen", "127.0.0.1:0")
	says, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	line, err := bufio.NewReader(says).ReadString('\n')
	require.NoError(t, err)
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, found, line)
	tab.Visit(address + "live.html")
	tab.Until(`document.querySelector("#answer").textContent.includes("Ethernet")`)
	turns(t, tab, "tomahawk5-fboss.yaml")
	require.Equal(t, []string{}, browser.Value[[]string](tab,
		`performance.getEntriesByType("resource").map(e=>e.name).filter(n=>n.startsWith("http"))`))
	require.NoError(t, server.Process.Signal(os.Interrupt))
	require.NoError(t, server.Wait())
	require.Empty(t, tab.Errors())
}
