package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/stretchr/testify/require"
)

// serving starts serve on a free port. It returns the address, and what ends it and returns its exit code.
func serving(t *testing.T, args ...string) (url string, end func() int) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), strings.NewReader(""), in, io.Discard)
		_ = in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, found, line)
	return strings.TrimSuffix(url, "/"), func() int { stop(); return <-code }
}

// The server says where it listens, answers the page and the API, and ends without a fault.
func TestServe(t *testing.T) {
	url, end := serving(t)
	for _, path := range []string{"/", "/health", "/openapi.json"} {
		r, err := http.Get(url + path)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, r.StatusCode, path)
		require.NoError(t, r.Body.Close())
	}
	require.Equal(t, cli.ExitFine, end())
	_, err := http.Get(url)
	require.Error(t, err, "it has ended")
}

// A request that is under way when the server ends is answered.
func TestServeEndsGracefully(t *testing.T) {
	url, end := serving(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	body := `{"topology": "chip: tomahawk\n"}`
	_, err = fmt.Fprintf(conn, "POST /page/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"+
		"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	line, err := in.ReadString('\n') // the server reads the request
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue\r\n", line)
	_, err = in.ReadString('\n')
	require.NoError(t, err)
	done := make(chan int, 1)
	go func() { done <- end() }()
	for { // until the server no longer listens
		r, err := http.Get(url + "/health")
		if err != nil {
			break
		}
		require.NoError(t, r.Body.Close())
	}
	_, err = io.WriteString(conn, body)
	require.NoError(t, err)
	r, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusUnprocessableEntity, r.StatusCode)
	require.NoError(t, r.Body.Close())
	require.Equal(t, cli.ExitFine, <-done)
}
