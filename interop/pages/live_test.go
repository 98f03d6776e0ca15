package pages_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/internal/web"
	"github.com/cellwarden/cellwarden/interop/browser"
	"github.com/cellwarden/cellwarden/topology"
)

// alone makes the page that needs no server, as the documentation says, and returns its address.
func alone(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to compile the page's module with")
	}
	path := filepath.Join(t.TempDir(), "cellwarden.html")
	c := exec.CommandContext(t.Context(), "go", "run", "./internal/live/make.go", path)
	c.Dir = filepath.Join("..", "..")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
	return "file://" + path
}

// request is one request of a page, and what is answered.
type request struct{ Path, Body string }

// requests are what can be asked about a topology, with changes of it.
func requests(t *testing.T, name string) (out []request) {
	t.Helper()
	text, err := examples.Read(name)
	require.NoError(t, err)
	file, err := topology.Read(name, text, examples.Read)
	require.NoError(t, err)
	ask := func(path string, more map[string]any) {
		question := map[string]any{"topology": string(text)}
		for key, value := range more {
			question[key] = value
		}
		if path == "/v1/diff" {
			question = map[string]any{"from": question, "to": map[string]any{"topology": string(text),
				"set": []string{file.Entries[0].Path + ".mtu=1518B"}}}
		}
		body, err := json.Marshal(question)
		require.NoError(t, err)
		out = append(out, request{path, string(body)})
	}
	ask("/page/answer", map[string]any{"verify": true, "full": true})
	ask("/page/report", nil)
	ask("/v1/explain", map[string]any{"port": file.Intent.Ports[0].Name})
	ask("/v1/risk", map[string]any{"congested": "1%", "fan_in": 8})
	for _, name := range []string{"plan", "verify", "capacity", "burst", "diff"} {
		ask("/v1/"+name, nil)
	}
	return append(out, request{Path: "/v1/examples/" + name})
}

// The module of the page answers with the bytes of the server, for every example and every question that the page asks,
// in the same browser and by the same code of the page.
func TestPageAloneAnswersAsTheServer(t *testing.T) {
	tab := browser.Open(t)
	file := alone(t)
	server := httptest.NewServer(web.New(web.Options{}))
	t.Cleanup(server.Close)
	asked := []request{{Path: "/v1/choices"}}
	for _, name := range examples.Topologies() {
		asked = append(asked, requests(t, name)...)
	}
	list, err := json.Marshal(asked)
	require.NoError(t, err)
	answers := func(page string) []struct {
		Status int
		Text   string
	} {
		tab.Visit(page)
		return browser.Await[[]struct {
			Status int
			Text   string
		}](tab, fmt.Sprintf(`(async()=>{const out=[];for(const q of %s)
			out.push(await cellwarden.request(q.Path,q.Body===""?undefined:q.Body));return out})()`, list))
	}
	here, there := answers(file), answers(server.URL)
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
	t.Logf("%d equal answers; good ones: %v", len(asked), good)
	_ = os.Getenv
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
