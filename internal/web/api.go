package web

import (
	"context"
	_ "embed"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/answers"
)

// description describes the API (OpenAPI 3.1). A test makes it from the types of questions and answers.
//
//go:embed openapi.json
var description string

// api adds the operations.
func (s *server) api(mux *http.ServeMux) {
	for name, operation := range answers.Operations {
		s.add(mux, name, operation)
	}
	plain := func(w http.ResponseWriter, r *http.Request) { reply(w, answers.Ask(r.Context(), r.URL.Path, nil)) }
	mux.HandleFunc("GET /v1/choices", plain)
	mux.HandleFunc("GET /v1/examples/{name}", plain)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, answers.Written(context.Background(), map[string]string{"status": "ok"}))
	})
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		write(w, "application/openapi+json", []byte(strings.Replace(description, `"VERSION"`, strconv.Quote(s.Version), 1)))
	})
}

// operation reads the question of an operation.
type operation func(question []byte) (answers.Asked, error)

// add adds POST /v1/NAME.
func (s *server) add(mux *http.ServeMux, name string, o operation) {
	mux.HandleFunc("POST /v1/"+name, func(w http.ResponseWriter, r *http.Request) {
		question, err := read(r)
		if err != nil {
			reply(w, answers.Problem(err))
			return
		}
		reply(w, s.answer(r.Context(), name, o, question))
	})
}

// answer answers a question, bounded in time.
func (s *server) answer(ctx context.Context, name string, o operation, question []byte) answers.Reply {
	var answer any
	var text answers.Reply
	asked, err := o(question)
	long := !slices.Contains(soon, name) || large(asked.Question)
	if err == nil {
		err = s.workOn(ctx, long, func() (err error) {
			answer, err = asked.Answer(ctx)
			return err
		})
	}
	if err == nil { // writing an answer down can take longer than finding it
		err = s.workOn(ctx, long || large(answer), func() error {
			text = answers.Written(ctx, answer)
			return nil
		})
	}
	if err != nil {
		return answers.Problem(err)
	}
	return text
}

// large tells whether a question or an answer says of itself that it is a large one.
func large(x any) bool {
	l, says := x.(interface{ Large() bool })
	return says && l.Large()
}
