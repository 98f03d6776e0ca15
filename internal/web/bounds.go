package web

import (
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/cellwarden/cellwarden/internal/answers"
)

// This file bounds what clients can hold: answers that they do not read, and connections that they do not use.

const (
	// smallAnswer is the longest answer that is not counted, in bytes: the connections bound their sum.
	smallAnswer = 64 << 10
	// mostAnswers is the most memory of all larger answers that wait for their readers, in bytes.
	mostAnswers = 256 << 20
	// pieceTime is how long a reader may take for smallAnswer bytes, after the buffers of the network are full.
	pieceTime = 5 * time.Second
)

// reply writes an answer, all of it. A long one is another answer if too many are not read.
func (s *server) reply(w http.ResponseWriter, r answers.Reply) {
	if n := len(r.Body); n > smallAnswer && s.answers.TryAcquire(int64(n)) {
		defer s.answers.Release(int64(n))
	} else if n > smallAnswer {
		r = answers.Reply{Status: http.StatusServiceUnavailable, Type: "text/plain; charset=utf-8",
			Body: []byte("too many answers are not read by their clients: ask again later\n")}
	}
	w.Header().Set("Content-Type", r.Type)
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Body) // a client that is gone needs no answer
}

// bounded gives a handler answers that are read in time.
func (s *server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&recorder{ResponseWriter: w, last: time.Now().Add(s.Time + pieceTime)}, r)
	})
}

// recorder writes an answer within the bounds of time, and keeps its status.
type recorder struct {
	http.ResponseWriter
	last   time.Time // when the whole answer must be read
	status int       // 0: none so far
}

// WriteHeader sends the first status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
		r.ResponseWriter.WriteHeader(status)
	}
}

// Write writes a part of the answer.
func (r *recorder) Write(data []byte) (n int, err error) {
	r.WriteHeader(http.StatusOK)
	control := http.NewResponseController(r.ResponseWriter)
	for n < len(data) {
		piece := data[n:min(n+smallAnswer, len(data))]
		end := time.Now().Add(pieceTime)
		if end.After(r.last) {
			end = r.last
		}
		_ = control.SetWriteDeadline(end) // a writer of a test has none
		m, err := r.ResponseWriter.Write(piece)
		if n += m; err != nil { // the client is gone or cut off: the handler stops, and logs nothing
			panic(http.ErrAbortHandler)
		}
	}
	return n, nil
}

// Unwrap returns what the answer is written to, for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// connections are those of a server.
type connections struct {
	mu   sync.Mutex
	most int
	turn int64
	open map[net.Conn]int64 // when it began to be idle, in turns; 0: it has a request
}

// Connections has a server close the connection that has been without a request for longest, when there are more than
// most. One with a request is never closed, so the listener needs a bound of its own, above most.
func Connections(server *http.Server, most int) {
	c := &connections{most: most, open: map[net.Conn]int64{}}
	server.ConnState = c.change
}

// change notes the state of a connection.
func (c *connections) change(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew, http.StateIdle:
		c.turn++
		c.open[conn] = c.turn
	case http.StateActive:
		c.open[conn] = 0
	default:
		delete(c.open, conn)
	}
	if state != http.StateNew || len(c.open) <= c.most {
		return
	}
	var oldest net.Conn
	for other, since := range c.open {
		if other != conn && since > 0 && (oldest == nil || since < c.open[oldest]) {
			oldest = other
		}
	}
	if oldest != nil {
		delete(c.open, oldest)
		_ = oldest.Close() // its client has asked for nothing
	}
}
