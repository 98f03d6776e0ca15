package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cellwarden/cellwarden/internal/answers"
	"github.com/cellwarden/cellwarden/internal/live"
	"github.com/cellwarden/cellwarden/report/page"
)

// page adds the page and its files, and the page that needs no server.
func (s *server) page(mux *http.ServeMux) {
	module, none := live.Embedded()
	for route, x := range map[string]answers.Reply{
		"GET /{$}":      {Status: 200, Type: "text/html; charset=utf-8", Body: live.Served(none == nil)},
		"GET /page.js":  {Status: 200, Type: "text/javascript; charset=utf-8", Body: []byte(live.Script)},
		"GET /page.css": {Status: 200, Type: "text/css; charset=utf-8", Body: []byte(page.Style())},
	} {
		mux.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) { s.reply(w, x) })
	}
	mux.HandleFunc("GET /live.html", func(w http.ResponseWriter, _ *http.Request) {
		if none != nil {
			http.Error(w, none.Error(), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Security-Policy", live.Policy()+"; frame-ancestors 'none'")
		s.reply(w, answers.Reply{Status: 200, Type: "text/html; charset=utf-8", Body: module.Page(nil)})
	})
}

// read reads a question. A body of another kind than JSON is refused: a form of another page could send it.
func read(r *http.Request) ([]byte, error) {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return nil, answers.Malformed{Status: http.StatusUnsupportedMediaType, Text: "want application/json"}
	}
	body, err := io.ReadAll(r.Body)
	if long := (*http.MaxBytesError)(nil); errors.As(err, &long) {
		return nil, answers.Malformed{Status: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("want at most %d bytes", long.Limit)}
	}
	return body, nil // also of a body that was cut by its client: it is no JSON then
}
