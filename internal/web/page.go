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
	for route, x := range map[string]struct{ kind, text string }{
		"GET /{$}":      {"text/html; charset=utf-8", string(live.Served(none == nil))},
		"GET /page.js":  {"text/javascript; charset=utf-8", live.Script},
		"GET /page.css": {"text/css; charset=utf-8", page.Style()},
	} {
		mux.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) { write(w, x.kind, []byte(x.text)) })
	}
	mux.HandleFunc("GET /live.html", func(w http.ResponseWriter, _ *http.Request) {
		if none != nil {
			http.Error(w, none.Error(), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Security-Policy", live.Policy()+"; frame-ancestors 'none'")
		write(w, "text/html; charset=utf-8", module.Page(nil))
	})
}

// write writes an answer.
func write(w http.ResponseWriter, kind string, data []byte) {
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(data) // the client may be gone
}

// reply writes an answer with its status.
func reply(w http.ResponseWriter, r answers.Reply) {
	w.Header().Set("Content-Type", r.Type)
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Body)
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
