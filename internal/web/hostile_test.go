package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"github.com/cellwarden/cellwarden/internal/answers"
)

// Long questions leave a worker to short ones, also where there is one worker, and a short one does not wait for them.
func TestLongQuestionsLeaveAWorker(t *testing.T) {
	for workers := 1; workers < 4; workers++ {
		s := worker(workers)
		end := make(chan struct{})
		var running atomic.Int32
		given := make(chan error)
		for range 10 {
			go func() {
				given <- s.workOn(t.Context(), true, func() error { running.Add(1); <-end; return nil })
			}()
		}
		for running.Load() < int32(cap(s.long)) { // until all that may run do
		}
		for range 100 {
			require.NoError(t, s.work(t.Context(), func() error { return nil }))
		}
		require.LessOrEqual(t, int(running.Load()), cap(s.long))
		close(end)
		for range 10 {
			require.NoError(t, <-given)
		}
	}
}

// heavy is an answer that is written down when a test says so.
type heavy struct {
	large   bool
	written *atomic.Int32
	on      chan struct{}
}

func (h *heavy) Large() bool { return h.large }

// MarshalJSON writes it.
func (h heavy) MarshalJSON() ([]byte, error) {
	if h.large {
		h.written.Add(1)
		<-h.on
	}
	return []byte("true"), nil
}

// Large answers are written down by the workers of long questions, as many at a time, and small ones do not wait for
// them. A reader who takes nothing of one holds no worker.
func TestLargeAnswersLeaveAWorker(t *testing.T) {
	for workers := 1; workers < 4; workers++ {
		s := worker(workers)
		s.answers = semaphore.NewWeighted(mostAnswers)
		mux, end, written := http.NewServeMux(), make(chan struct{}), &atomic.Int32{}
		s.add(mux, "/v1/plan", func(question []byte) (answers.Asked, error) {
			answer := &heavy{strings.Contains(string(question), "true"), written, end}
			return answers.Asked{Answer: func(context.Context) (any, error) { return answer, nil }}, nil
		})
		ask := func(w http.ResponseWriter, large bool) {
			r := httptest.NewRequest(http.MethodPost, "/v1/plan", strings.NewReader(fmt.Sprintf(`{"Large":%t}`, large)))
			r.Header.Set("Content-Type", "application/json")
			s.bounded(mux).ServeHTTP(w, r)
		}
		const clients = 10
		slow := &reader{httptest.NewRecorder(), make(chan struct{}, clients), make(chan struct{})}
		var asked sync.WaitGroup
		for range clients {
			asked.Go(func() { ask(&reader{httptest.NewRecorder(), slow.begun, slow.end}, true) })
		}
		small := func() {
			w := httptest.NewRecorder()
			ask(w, false)
			require.Equal(t, http.StatusOK, w.Code)
			require.Equal(t, "true\n", w.Body.String())
		}
		for written.Load() < int32(cap(s.long)) { // until all that may be written are
		}
		for range 20 {
			small()
		}
		require.Equal(t, cap(s.long), int(written.Load()))
		close(end)
		for range clients { // all of them wait for their readers
			<-slow.begun
		}
		require.Empty(t, s.slots, "no worker is held")
		small()
		close(slow.end)
		asked.Wait()
	}
}

// reader takes an answer's header and nothing of its body.
type reader struct {
	*httptest.ResponseRecorder
	begun, end chan struct{}
}

func (r *reader) Write(p []byte) (int, error) {
	r.begun <- struct{}{}
	<-r.end
	return r.ResponseRecorder.Write(p)
}

// Answers that wait for their readers are bounded in sum: the next large one is refused, and a small one is not.
func TestAnswersAreBoundedInSum(t *testing.T) {
	s := &server{answers: semaphore.NewWeighted(3 << 20)}
	answer := func(size int) http.Handler {
		return s.bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			s.reply(w, answers.Reply{Status: http.StatusOK, Type: "application/json", Body: bytes.Repeat([]byte("x"), size)})
		}))
	}
	slow := &reader{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	done := make(chan struct{})
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	go func() { answer(2<<20).ServeHTTP(slow, request); close(done) }()
	<-slow.begun
	for size, status := range map[int]int{2 << 20: http.StatusServiceUnavailable, smallAnswer: http.StatusOK} {
		w := httptest.NewRecorder()
		answer(size).ServeHTTP(w, request)
		require.Equal(t, status, w.Code)
		if status == http.StatusServiceUnavailable {
			require.Less(t, w.Body.Len(), 500)
		}
	}
	close(slow.end)
	for {
		select {
		case <-slow.begun:
			continue
		case <-done:
		}
		break
	}
	require.Equal(t, 2<<20, slow.Body.Len())
	w := httptest.NewRecorder()
	answer(2<<20).ServeHTTP(w, request)
	require.Equal(t, http.StatusOK, w.Code, "its memory is free again")
}

// A name is compared as a name: without the case of its letters, and with the point of the root.
func TestNamesOfHosts(t *testing.T) {
	h := New(Options{Hosts: []string{"Planner.Lab", "10.0.0.1."}})
	for host, status := range map[string]int{"planner.lab": 200, "PLANNER.lab:8080": 200, "Planner.Lab.": 200,
		"planner.lab.:80": 200, "10.0.0.1": 200, "localhost": 421, "planner.lab..": 421, "": 421} {
		require.Equal(t, status, statusAs(h, host), host)
	}
	own := New(Options{})
	for host, status := range map[string]int{"localhost.": 200, "localhost.:80": 200, "LOCALHOST": 200, "[::1]:80": 200,
		"[::1]": 200, "evil.localhost": 421, ".": 421} {
		require.Equal(t, status, statusAs(own, host), host)
	}
}

func statusAs(h http.Handler, host string) int {
	r := httptest.NewRequest(http.MethodGet, "/health", nil)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// gone is a client that reads nothing any more.
type gone struct{ *httptest.ResponseRecorder }

func (gone) Write([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// A reader that is cut off ends its request, with nothing in the log: not a fault of the one who writes the answer.
func TestReadersThatAreCutOffAreNotLogged(t *testing.T) {
	logged := ""
	h := New(Options{Hosts: []string{"*"}, Log: func(text string) { logged += text }})
	r := httptest.NewRequest(http.MethodGet, "/v1/choices", nil)
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { h.ServeHTTP(gone{httptest.NewRecorder()}, r) },
		"the value of which net/http logs nothing")
	require.Empty(t, logged)
}

// A client that goes away while its answer is written leaves nothing in the log.
func TestNoSuperfluousHeader(t *testing.T) {
	var logged bytes.Buffer
	server := httptest.NewUnstartedServer(New(Options{Hosts: []string{"*"}}))
	server.Config.ErrorLog = log.New(&logged, "", 0)
	server.Start()
	body := `{"topology": "chip: tomahawk\n"`
	for _, text := range []string{
		"POST /v1/plan HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n" + body,
		"POST /v1/plan HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n" +
			strings.Repeat(" ", 1<<20+1),
		"GET /v1/choices HTTP/1.1\r\nHost: a\r\nAccept: nothing/x\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(conn, text)
		require.NoError(t, err)
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
		}
		require.NoError(t, conn.Close())
	}
	server.Close()
	require.Empty(t, logged.String())
}

// A handler that fails behind its header has one status.
func TestOneStatus(t *testing.T) {
	var logged bytes.Buffer
	s := &server{answers: semaphore.NewWeighted(1 << 20)}
	server := httptest.NewUnstartedServer(s.bounded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_, _ = fmt.Fprint(w, "part")
		w.WriteHeader(http.StatusInternalServerError)
	})))
	server.Config.ErrorLog = log.New(&logged, "", 0)
	server.Start()
	r, err := http.Get(server.URL)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.NoError(t, r.Body.Close())
	server.Close()
	require.Empty(t, logged.String())
}

// A server at the limit of its connections closes the one that has been idle for longest, and none that has a request.
func TestIdleConnectionsAreDropped(t *testing.T) {
	hold, begun := make(chan struct{}), make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			begun <- struct{}{}
			<-hold
		}
		_, _ = fmt.Fprint(w, "fine")
	}))
	Connections(server.Config, 4)
	server.Start()
	dial := func(path string) net.Conn {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		if path != "" {
			_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path)
			require.NoError(t, err)
		}
		return conn
	}
	answer := func(conn net.Conn) {
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, r.Body)
		require.NoError(t, err)
	}
	held := dial("/hold")
	<-begun
	for range 3 { // idle ones
		answer(dial("/"))
	}
	for range 20 { // clients behind them, some of which say nothing
		dial("")
		answer(dial("/"))
	}
	close(hold)
	answer(held)
	server.CloseClientConnections()
	server.Close()
}
