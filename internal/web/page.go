package web

import (
	"context"
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
	mux.HandleFunc("POST /page/answer", s.pageAnswer)
	mux.HandleFunc("POST /page/report", s.pageReport)
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

// asked reads the question of the page.
func asked(w http.ResponseWriter, r *http.Request) (*answers.PageQuestion, bool) {
	body, err := read(r)
	if err == nil {
		var q *answers.PageQuestion
		if q, err = answers.ReadPage(body); err == nil {
			return q, true
		}
	}
	status := http.StatusBadRequest
	if m := (answers.Malformed{}); errors.As(err, &m) {
		status = m.Status
	}
	http.Error(w, err.Error(), status)
	return nil, false
}

// pageAnswer answers a question of the page.
func (s *server) pageAnswer(w http.ResponseWriter, r *http.Request) {
	if q, ok := asked(w, r); ok {
		reply(w, s.worked(r, q, q.Answer, q.Refused))
	}
}

// pageReport answers with the whole page of a plan, as a file to keep.
func (s *server) pageReport(w http.ResponseWriter, r *http.Request) {
	q, ok := asked(w, r)
	if !ok {
		return
	}
	out := s.worked(r, q, q.Report, q.Unmade)
	if out.Status == http.StatusOK {
		w.Header().Set("Content-Disposition", `attachment; filename="plan.html"`)
	}
	reply(w, out)
}

// worked answers a question when a worker is free, or says why not.
func (s *server) worked(r *http.Request, q *answers.PageQuestion, answer func(context.Context) answers.Reply,
	failed func(error) answers.Reply) answers.Reply {
	var out answers.Reply // written by work that may go on without the request
	if err := s.workOn(r.Context(), q.Long(), func() error { out = answer(r.Context()); return nil }); err != nil {
		return failed(err)
	}
	return out
}
