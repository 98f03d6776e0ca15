package web

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/cellwarden/cellwarden/internal/answers"
)

// Options says what a server accepts. The zero Options are for a server on a loopback address.
type Options struct {
	Version string // of the program, for the API's description
	// Hosts are the names by which clients may call the server. Empty: the loopback names. One "*" is any name.
	Hosts []string
	// Time is how long one request may take; 0: 30 s.
	Time time.Duration
	// Workers is how many requests are worked on at the same time; the others wait. 0: one for each core.
	Workers int
	// Log, if not nil, is told of a request that failed by a fault of the program.
	Log func(text string)
}

// maxBody is the longest body of a request. A topology of 4,096 ports that names each of them has some 300 KB.
const maxBody = 1 << 20

// server answers requests.
type server struct {
	Options
	slots   chan struct{}       // one for each request that is worked on
	long    chan struct{}       // one for each of those that may take long: fewer than slots
	answers *semaphore.Weighted // bytes of answers that are not read yet
	meter   *meter
}

// New returns the handler of a server.
func New(o Options) http.Handler {
	if o.Time <= 0 {
		o.Time = 30 * time.Second
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if len(o.Hosts) == 0 {
		o.Hosts = []string{"localhost", "127.0.0.1", "::1"}
	}
	s := &server{Options: o, answers: semaphore.NewWeighted(mostAnswers), meter: newMeter()}
	s.makeSlots()
	s.Hosts = slices.Clone(s.Hosts)
	for i, host := range s.Hosts {
		s.Hosts[i] = hostName(host)
	}
	mux := http.NewServeMux()
	s.api(mux)
	s.page(mux)
	mux.Handle("GET /metrics", s.meter)
	return s.guard(http.NewCrossOriginProtection().Handler(s.measure(mux)))
}

// policy is what the page may load: its own script and style, and pictures inside it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard refuses host names that are not the server's, and sets the headers that every answer has.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !s.named(r.Host) {
			http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		ctx, stop := context.WithTimeout(r.Context(), s.Time)
		defer stop()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// named tells whether a Host header is one of the server's names.
func (s *server) named(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = hostName(strings.Trim(host, "[]"))
	return slices.Contains(s.Hosts, host) || slices.Contains(s.Hosts, "*")
}

// hostName is the form in which names are compared: without the case of letters, and without the point of the root.
func hostName(text string) string { return strings.ToLower(strings.TrimSuffix(text, ".")) }

// measure counts requests by the pattern that they match: there are few.
func (s *server) measure(mux *http.ServeMux) http.Handler {
	return s.bounded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, route := mux.Handler(r)
		if route == "" {
			route = "none"
		}
		start := time.Now()
		mux.ServeHTTP(w, r)
		s.meter.answered(route, cmp.Or(w.(*recorder).status, http.StatusOK), time.Since(start))
	}))
}

// makeSlots makes the places of requests. Those that may take long leave one place to those that do not, also where
// there is one worker.
func (s *server) makeSlots() {
	s.slots = make(chan struct{}, max(s.Workers, 2))
	s.long = make(chan struct{}, cap(s.slots)-1)
}

// workOn runs a piece of work when a worker is free. Planning cannot be interrupted, so after the request's time the
// work goes on without the request, and keeps its worker until it ends: at most Workers pieces run at the same time,
// and one of them at least is not long.
func (s *server) workOn(ctx context.Context, long bool, do func() error) error {
	if ctx.Err() != nil { // select would take a free worker as often as the end of the time
		s.meter.givenUp.Add(1)
		return answers.ErrBusy
	}
	places := []chan struct{}{s.slots}
	if long {
		places = []chan struct{}{s.long, s.slots}
	}
	for i, place := range places {
		select {
		case place <- struct{}{}:
		case <-ctx.Done():
			leave(places[:i])
			s.meter.givenUp.Add(1)
			return answers.ErrBusy
		}
	}
	s.meter.working.Add(1)
	done := make(chan error, 1)
	go func() {
		err := s.guarded(do)
		s.meter.working.Add(-1)
		leave(places)
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		s.meter.givenUp.Add(1)
		return answers.ErrBusy
	}
}

// leave frees places.
func leave(places []chan struct{}) {
	for _, place := range places {
		<-place
	}
}

// guarded runs a piece of work. A fault of it is an error, and does not end the server.
func (s *server) guarded(do func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if err = answers.ErrFault; s.Log != nil {
				s.Log(fmt.Sprintf("%v\n%s", fault, debug.Stack()))
			}
		}
	}()
	return do()
}
