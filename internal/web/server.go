package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
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
	slots chan struct{} // one for each request that is worked on
	meter meter
}

// meter counts requests.
type meter struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	working  prometheus.Gauge
	busy     prometheus.Counter
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
	registry := prometheus.NewRegistry()
	s := &server{Options: o, slots: make(chan struct{}, o.Workers), meter: newMeter(registry)}
	mux := http.NewServeMux()
	config := huma.DefaultConfig("cellwarden", o.Version)
	config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", nil // no page of others, and documents as published
	config.Info.Description = apiText
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	s.api(humago.New(mux, config))
	s.page(mux)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return s.guard(http.NewCrossOriginProtection().Handler(s.measure(mux)))
}

// schemaName names the schema of a type by its package too: several packages have a type of the same name.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if pkg := path.Base(t.PkgPath()); pkg != "." && pkg != "web" && pkg != "huma" {
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	if t.Kind() == reflect.Struct && t.Name() == "" {
		return name + fieldNames(t)
	}
	return name
}

// fieldNames tells structs without a name apart, which several documents have, under one name in their lists.
func fieldNames(t reflect.Type) string {
	var names strings.Builder
	for field := range t.Fields() {
		names.WriteString(field.Name)
	}
	return names.String()
}

// newMeter registers the counters.
func newMeter(r *prometheus.Registry) meter {
	m := meter{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "cellwarden_http_requests_total",
			Help: "Requests by route and status."}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "cellwarden_http_request_seconds",
			Help: "Time to answer a request, by route.", Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5, 30}},
			[]string{"route"}),
		working: prometheus.NewGauge(prometheus.GaugeOpts{Name: "cellwarden_http_requests_working",
			Help: "Requests that are worked on."}),
		busy: prometheus.NewCounter(prometheus.CounterOpts{Name: "cellwarden_http_requests_given_up_total",
			Help: "Requests whose time was over before their answer was ready."}),
	}
	r.MustRegister(m.requests, m.seconds, m.working, m.busy)
	return m
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
	host = strings.ToLower(strings.Trim(host, "[]"))
	return slices.Contains(s.Hosts, host) || slices.Contains(s.Hosts, "*")
}

// recorder keeps the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader writes the status.
func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap returns what the answer is written to, for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// measure counts requests by the pattern that they match: there are few.
func (s *server) measure(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, route := mux.Handler(r)
		if route == "" {
			route = "none"
		}
		start := time.Now()
		out := &recorder{w, http.StatusOK}
		mux.ServeHTTP(out, r)
		s.meter.seconds.WithLabelValues(route).Observe(time.Since(start).Seconds())
		s.meter.requests.WithLabelValues(route, strconv.Itoa(out.status)).Inc()
	})
}

// errBusy says that the time of a request was over before its answer was ready.
var errBusy = errors.New("the answer was not ready in time: the server is busy, or the question is too large")

// errFault says that the program failed.
var errFault = errors.New("cellwarden failed at this request")

// work runs a piece of work when a worker is free. Planning cannot be interrupted, so after the request's time the
// work goes on without the request, and keeps its worker until it ends: at most Workers pieces run at the same time.
func (s *server) work(ctx context.Context, do func() error) error {
	if ctx.Err() != nil { // select would take a free worker as often as the end of the time
		s.meter.busy.Inc()
		return errBusy
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		s.meter.busy.Inc()
		return errBusy
	}
	s.meter.working.Inc()
	done := make(chan error, 1)
	go func() {
		err := s.guarded(do)
		s.meter.working.Dec()
		<-s.slots
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		s.meter.busy.Inc()
		return errBusy
	}
}

// guarded runs a piece of work. A fault of it is an error, and does not end the server.
func (s *server) guarded(do func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if err = errFault; s.Log != nil {
				s.Log(fmt.Sprintf("%v\n%s", fault, debug.Stack()))
			}
		}
	}()
	return do()
}
