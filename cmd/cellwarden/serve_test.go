package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

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
	require.Equal(t, exitFine, end())
	_, err := http.Get(url)
	require.Error(t, err, "it has ended")
}

// A request that is under way when the server ends is answered.
func TestServeEndsGracefully(t *testing.T) {
	url, end := serving(t)
	body, feed := io.Pipe()
	type answer struct {
		status int
		err    error
	}
	got := make(chan answer, 1)
	go func() {
		r, err := http.Post(url+"/page/answer", "application/json", body)
		if err != nil {
			got <- answer{0, err}
			return
		}
		got <- answer{r.StatusCode, r.Body.Close()}
	}()
	_, err := io.WriteString(feed, `{"topology": "chip: tomahawk\n`)
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
	_, err = io.WriteString(feed, `"}`)
	require.NoError(t, err)
	require.NoError(t, feed.Close())
	require.Equal(t, answer{http.StatusUnprocessableEntity, nil}, <-got)
	require.Equal(t, exitFine, <-done)
}
