package web

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/cellwarden/cellwarden/internal/exposition"
)

// buckets are the bounds of the times to answer, in seconds.
var buckets = [...]float64{.001, .005, .01, .05, .1, .5, 1, 5, 30}

// meter counts requests.
type meter struct {
	working, givenUp atomic.Int64

	mu       sync.Mutex
	requests map[[2]string]int         // by route and status
	seconds  map[string]*dto.Histogram // by route
}

func newMeter() *meter {
	return &meter{requests: map[[2]string]int{}, seconds: map[string]*dto.Histogram{}}
}

// answered counts a request.
func (m *meter) answered(route string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[[2]string{route, strconv.Itoa(status)}]++
	h := m.seconds[route]
	if h == nil {
		h = &dto.Histogram{SampleCount: new(uint64(0)), SampleSum: new(0.0)}
		for _, most := range buckets {
			h.Bucket = append(h.Bucket, &dto.Bucket{UpperBound: &most, CumulativeCount: new(uint64(0))})
		}
		m.seconds[route] = h
	}
	*h.SampleCount++
	*h.SampleSum += took.Seconds()
	for _, b := range h.Bucket {
		if took.Seconds() <= *b.UpperBound {
			*b.CumulativeCount++
		}
	}
}

// ServeHTTP answers with the counters, in the text format of Prometheus.
func (m *meter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	requests := exposition.New(dto.MetricType_COUNTER, "cellwarden_http_requests_total",
		"Requests by route and status.", "route", "status")
	for key, n := range m.requests {
		requests.Add(float64(n), key[:]...)
	}
	seconds := exposition.New(dto.MetricType_HISTOGRAM, "cellwarden_http_request_seconds",
		"Time to answer a request, by route.", "route")
	for route, h := range m.seconds {
		seconds.Series = append(seconds.Series, exposition.Series{Labels: []string{route}, Histogram: h})
	}
	working := exposition.New(dto.MetricType_GAUGE, "cellwarden_http_requests_working", "Requests that are worked on.")
	working.Add(float64(m.working.Load()))
	givenUp := exposition.New(dto.MetricType_COUNTER, "cellwarden_http_requests_given_up_total",
		"Requests whose time was over before their answer was ready.")
	givenUp.Add(float64(m.givenUp.Load()))
	var text bytes.Buffer // no reader keeps the lock
	if err := exposition.Write(&text, seconds, givenUp, requests, working); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	_, _ = w.Write(text.Bytes()) // a client that is gone needs no answer
}
