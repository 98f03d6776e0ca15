package web

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/answers"
	"github.com/cellwarden/cellwarden/internal/live"
	"github.com/cellwarden/cellwarden/report/page"
)

// description describes the API (OpenAPI 3.1). A test makes it from the types of questions and answers.
//
//go:embed openapi.json
var description string

// api adds the questions of the API and of the page, and what the API has beside them.
func (s *server) api(mux *http.ServeMux) {
	for path, question := range answers.Questions {
		s.add(mux, path, question)
	}
	plain := func(w http.ResponseWriter, r *http.Request) { s.reply(w, answers.Ask(r.Context(), r.URL.Path, nil)) }
	mux.HandleFunc("GET /v1/choices", plain)
	mux.HandleFunc("GET /v1/examples/{name}", plain)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		s.reply(w, answers.Written(context.Background(), map[string]string{"status": "ok"}))
	})
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		text := strings.Replace(description, `"VERSION"`, strconv.Quote(s.Version), 1)
		s.reply(w, answers.Reply{Status: 200, Type: "application/openapi+json", Body: []byte(text)})
	})
}

// add adds POST of a path, whose question is read like this.
func (s *server) add(mux *http.ServeMux, path string, question func([]byte) (answers.Asked, error)) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var asked answers.Asked
		body, err := read(r)
		if err == nil {
			asked, err = question(body)
		}
		if err != nil {
			s.reply(w, answers.Unread(path, err))
			return
		}
		out := s.answer(r.Context(), asked)
		if path == "/page/report" && out.Status == http.StatusOK { // a page to keep
			w.Header().Set("Content-Disposition", `attachment; filename="plan.html"`)
		}
		s.reply(w, out)
	})
}

// answer answers a question, bounded in time.
func (s *server) answer(ctx context.Context, asked answers.Asked) answers.Reply {
	var answer any // written by work that may go on without the request, as is the text
	var text answers.Reply
	err := s.workOn(ctx, asked.Long, func() (err error) {
		answer, err = asked.Answer(ctx)
		return err
	})
	if err == nil {
		if r, written := answer.(answers.Reply); written {
			return r
		}
		// Writing an answer down can take longer than finding it.
		err = s.workOn(ctx, asked.Long || answers.Large(answer), func() error {
			text = answers.Written(ctx, answer)
			return nil
		})
	}
	if err != nil {
		return asked.Refuse(err)
	}
	return text
}

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
