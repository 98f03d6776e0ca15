package web_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/internal/answers"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/live"
	"github.com/cellwarden/cellwarden/internal/web"
)

// Package answers answers without a server what the server answers, byte by byte: of every example, and of questions
// that are refused. interop/pages compares the module in a browser with the server.
func TestAnswersWithoutAServer(t *testing.T) {
	h := web.New(web.Options{})
	same := func(path, body string) int {
		t.Helper()
		method := http.MethodPost
		if body == "" {
			method = http.MethodGet
		}
		r, own := send(t, h, method, path, body), answers.Ask(t.Context(), path, []byte(body))
		require.Equal(t, own.Status, r.StatusCode, "%s %.300s", path, own.Body)
		require.Equal(t, own.Type, r.Header.Get("Content-Type"), path)
		require.Equal(t, text(t, r, own.Status), string(own.Body), path)
		return own.Status
	}
	same("/v1/choices", "")
	for i, name := range examples.Topologies() {
		if !effort.Some(i, 4) {
			continue
		}
		data, err := examples.Read(name)
		require.NoError(t, err)
		same("/v1/examples/"+name, "")
		ask := question(t, string(data))
		for _, path := range []string{"/page/answer", "/page/report", "/v1/plan", "/v1/capacity", "/v1/burst"} {
			same(path, ask)
		}
		same("/v1/diff", `{"from":`+ask+`,"to":`+question(t, string(data), "pool.shared_headroom=2MiB")+`}`)
		require.Equal(t, 422, same("/v1/verify", question(t, string(data), "classes[0].alpha=x")))
		same("/page/answer", question(t, string(data), "classes[0].alpha=x"))
	}
	require.Equal(t, 200, same("/v1/verify", question(t, small)))
	for name, q := range more() {
		require.Equal(t, 200, same("/v1/"+name, with(t, q, nil)))
	}
	for _, path := range []string{"/v1/nothing", "/v1/examples/nothing", "/nothing"} {
		require.Equal(t, 404, answers.Ask(t.Context(), path, nil).Status)
	}
	for question, status := range map[string]int{
		`{"topology": "x", "file": "y"}`: 422, `{"topology": "x"`: 400, `{"topology": "x"} {}`: 400, `[]`: 400,
		`{"topology": "x", "set": [5]}`: 422, `{"topology": "x", "set": {"a": 1}}`: 422, `{"set": []}`: 422,
	} {
		require.Equal(t, status, same("/v1/plan", question), question)
	}
}

// A question brings the files that its topology names.
func TestFilesOfAQuestion(t *testing.T) {
	h := web.New(web.Options{})
	table, err := examples.Read("nh-4210.ini")
	require.NoError(t, err)
	named, err := examples.Read("nh-4210.yaml")
	require.NoError(t, err)
	want := text(t, send(t, h, "POST", "/v1/plan", question(t, string(named))), 200)
	body, err := json.Marshal(map[string]any{"topology": string(named), "set": []string{"headroom.table=lab/own.ini"},
		"files": map[string]string{"lab/own.ini": string(table)}})
	require.NoError(t, err)
	var own, example map[string]any
	require.NoError(t, json.Unmarshal([]byte(text(t, send(t, h, "POST", "/v1/plan", string(body)), 200)), &own))
	require.NoError(t, json.Unmarshal([]byte(want), &example))
	require.Equal(t, example["slices"], own["slices"])
	require.Contains(t, text(t, send(t, h, "POST", "/v1/plan", question(t, string(named), "headroom.table=lab/own.ini")), 422),
		"want their texts in files")
}

// The server has the page without a server, if it was built with it, with the policy that this page wants.
func TestPageAlone(t *testing.T) {
	h := web.New(web.Options{})
	page := send(t, h, "GET", "/live.html", "")
	if _, err := live.Embedded(); err != nil {
		require.Contains(t, text(t, page, 404), "go generate ./internal/live")
		require.NotContains(t, text(t, send(t, h, "GET", "/", ""), 200), "live.html")
		return
	}
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "'wasm-unsafe-eval'; style-src 'sha256-")
	require.Contains(t, text(t, send(t, h, "GET", "/", ""), 200), `href="/live.html"`)
	require.Contains(t, text(t, page, 200), `id="module"`)
}
