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
	requests := exposition.Family(dto.MetricType_COUNTER, "cellwarden_http_requests_total",
		"Requests by route and status.")
	for key, n := range m.requests {
		exposition.Add(requests, counted(float64(n)), []string{"route", "status"}, key[:])
	}
	seconds := exposition.Family(dto.MetricType_HISTOGRAM, "cellwarden_http_request_seconds",
		"Time to answer a request, by route.")
	for route, h := range m.seconds {
		exposition.Add(seconds, &dto.Metric{Histogram: h}, []string{"route"}, []string{route})
	}
	working := exposition.Family(dto.MetricType_GAUGE, "cellwarden_http_requests_working", "Requests that are worked on.")
	exposition.Add(working, &dto.Metric{Gauge: &dto.Gauge{Value: new(float64(m.working.Load()))}}, nil, nil)
	givenUp := exposition.Family(dto.MetricType_COUNTER, "cellwarden_http_requests_given_up_total",
		"Requests whose time was over before their answer was ready.")
	exposition.Add(givenUp, counted(float64(m.givenUp.Load())), nil, nil)
	var text bytes.Buffer // no reader keeps the lock
	if err := exposition.Write(&text, seconds, givenUp, requests, working); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	_, _ = w.Write(text.Bytes()) // a client that is gone needs no answer
}

// counted is the value of a counter.
func counted(n float64) *dto.Metric { return &dto.Metric{Counter: &dto.Counter{Value: &n}} }
