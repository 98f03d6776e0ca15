package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
)

// What a request brings is repeated in errors in a few words only: an error that is longer than
// a client's limit of headers would end its connection, with everything else on it.
func TestErrorsAreShort(t *testing.T) {
	effort.SkipFew(t, "it sends long requests")
	s, c := limited(t, server.Options{})
	length := 7 << 20 // two of them fit into a request
	if testing.Short() {
		length = 64 << 10 // the race detector runs the same code, of which the length takes most of the time
	}
	long := strings.Repeat("x", length)
	elem := func(name string, key map[string]string) *gpb.Path {
		return &gpb.Path{Elem: []*gpb.PathElem{{Name: "qos"}, {Name: "queues"}, {Name: name, Key: key}}}
	}
	many := map[string]string{}
	for i := range 16_000 {
		many["key"+strconv.Itoa(i)] = "v"
	}
	val := ietf(`{"name":"4"}`)
	for name, req := range map[string]*gpb.SetRequest{
		"a long key":           {Delete: []*gpb.Path{elem("queue", map[string]string{"name": long})}},
		"a long name of a key": {Delete: []*gpb.Path{elem("queue", map[string]string{long: "3"})}},
		"a long name":          {Delete: []*gpb.Path{elem(long, nil)}},
		"16,000 keys":          {Delete: []*gpb.Path{elem("queue", many)}},
		"a long origin":        {Delete: []*gpb.Path{{Origin: long}}},
		"a long value":         update(t, queueID, ietf(`"`+long+`"`)),
		"a long key in a value": update(t, "/qos/queues",
			ietf(`{"queue":[{"name":"`+long+`","config":{"name":"`+long+`"}}]}`)),
		"a long member":       update(t, "/qos/queues", ietf(`{"`+long+`":1}`)),
		"a long member twice": update(t, "/qos/queues", ietf(`{"`+long+`":1,"`+long+`":1}`)),
		"a long identity":     update(t, leafOf+"shared-buffer-limit-type", ietf(`"`+long+`:STATIC"`)),
		"a long number":       update(t, queueID, ietf(strings.Repeat("9", 1<<20))),
		"a long reference":    update(t, port1+bound, ietf(`"`+long+`"`)),
		"a long string":       update(t, queueID, word(long)),
		"a long target":       {Prefix: &gpb.Path{Target: long}},
		"a long prefix":       {Prefix: elem(long, nil)},
		"many long keys": {Update: []*gpb.Update{{Path: elem("queue", map[string]string{"name": long}), Val: val},
			{Path: elem("queue", map[string]string{"name": long + "y"}), Val: val}}},
	} {
		t.Run(name, func(t *testing.T) {
			before := get(t, s, "/", gpb.GetRequest_ALL)
			_, err := c.Set(t.Context(), req)
			require.Contains(t, []codes.Code{codes.InvalidArgument, codes.NotFound}, status.Code(err))
			require.LessOrEqual(t, len(status.Convert(err).Message()), 4096)
			require.LessOrEqual(t, len(status.Convert(err).Proto().String()), 8192)
			require.Equal(t, before, get(t, s, "/", gpb.GetRequest_ALL))
		})
	}
	_, err := c.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{elem("queue", map[string]string{"name": long})}})
	require.Equal(t, codes.InvalidArgument, status.Code(err), "%.100v", err)
	_, err = subscribe(t, c, once(&gpb.SubscriptionList{}, elem(long, nil)))
	require.Equal(t, codes.InvalidArgument, status.Code(err), "%.100v", err)
	_, err = c.Capabilities(t.Context(), &gpb.CapabilityRequest{})
	require.NoError(t, err, "the connection is still there")
}

// manyProfiles configures so many profiles that no port is bound to.
func manyProfiles(t testing.TB, n int) *gpb.SetRequest {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"name":"p%d","config":{"name":"p%d"},"queues":{"queue":[{"name":"3","config":{"name":"3","dedicated-buffer":"1000"}}]}}`,
			i, i))
	}
	return update(t, "/qos/buffer-allocation-profiles", ietf(`{"buffer-allocation-profile":[`+strings.Join(all, ",")+`]}`))
}

// A Set that is checked for a long time does not hold up those who read.
func TestReadersDoNotWaitForASet(t *testing.T) {
	effort.SkipFew(t, "it reads while a Set is under way")
	s, _ := planned(t)
	req, done := manyProfiles(t, 1000), make(chan error, 1)
	var reads atomic.Int64
	go func() {
		_, err := s.Set(t.Context(), req)
		done <- err
	}()
	for {
		select {
		case err := <-done:
			require.NoError(t, err)
			require.Greater(t, reads.Load(), int64(10), "reads while the Set was checked")
			return
		default:
			get(t, s, dedicated, gpb.GetRequest_CONFIG)
			reads.Add(1)
		}
	}
}

// Two Sets that overlap are made one after the other, and each sees what the other has done.
func TestSetsDoNotLoseEachOther(t *testing.T) {
	s, _ := planned(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			_, err := s.Set(t.Context(), update(t, fmt.Sprintf("/qos/queues/queue[name=q%d]/config/queue-id", i),
				ietf(strconv.Itoa(20+i))))
			require.NoError(t, err)
		})
	}
	all.Wait()
	require.Len(t, where(t, s, &gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos/queues/queue/config/queue-id")}}), 20)
}

// A connection without calls ends after Options.MaxIdle, and the client's next call makes a new one by itself.
func TestIdleConnectionsEnd(t *testing.T) {
	effort.SkipFew(t, "it waits for the end of connections")
	_, asic := planned(t)
	opt := server.Options{MaxIdle: 20 * time.Millisecond}
	s, err := server.New(asic, 208, opt)
	require.NoError(t, err)
	address := listen(t, s, opt)
	idle, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer idle.Close()
	// The preface of HTTP/2 and an empty SETTINGS frame (RFC 9113, section 3.4): a connection that is complete.
	_, err = idle.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"))
	require.NoError(t, err)
	require.NoError(t, idle.SetReadDeadline(time.Now().Add(time.Minute)))
	const ping, goAway, ack = 6, 7, 1 // types of frames, and a flag (RFC 9113, sections 6.7 and 6.8)
	asked := false
	for {
		header := make([]byte, 9)
		if _, err = io.ReadFull(idle, header); err != nil {
			break // the server has closed it
		}
		content := make([]byte, int(header[0])<<16|int(header[1])<<8|int(header[2]))
		_, err = io.ReadFull(idle, content)
		require.NoError(t, err)
		asked = asked || header[3] == goAway
		if header[3] == ping {
			header[4] |= ack
			_, _ = idle.Write(append(header, content...)) // it may be closed already
		}
	}
	require.True(t, asked, "the client is asked to connect again")
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
}

// listen serves a switch on loopback until the test ends.
func listen(t testing.TB, s *server.Server, opt server.Options) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	grpcServer := grpc.NewServer(opt.ServerOptions()...)
	s.Register(grpcServer)
	smallswitch.On(t, grpcServer, opt.Limit(listener))
	return listener.Addr().String()
}

// TestLoad measures what the switch bears. It runs where CELLWARDEN_LOAD has the number of seconds for
// which clients work: 50 clients that Set and Get, 3,000 streams, 1,000 idle connections.
func TestLoad(t *testing.T) {
	seconds, err := strconv.Atoi(os.Getenv("CELLWARDEN_LOAD"))
	if err != nil {
		t.Skip("set CELLWARDEN_LOAD to a number of seconds, such as 60")
	}
	_, asic := planned(t)
	opt := server.Options{MaxStreams: 3100}
	s, err := server.New(asic, 208, opt)
	require.NoError(t, err)
	_, err = s.Set(t.Context(), replaceQoS(t, plan))
	require.NoError(t, err)
	address := listen(t, s, opt)
	for range 1000 {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer c.Close()
		_, err = c.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"))
		require.NoError(t, err)
	}
	client := func() gpb.GNMIClient {
		conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return gpb.NewGNMIClient(conn)
	}
	began := time.Now()
	_, err = client().Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, dedicated)}})
	require.NoError(t, err)
	t.Logf("first Get beside 1,000 idle connections: %v", time.Since(began).Round(time.Millisecond))

	began = time.Now()
	streams := make([]gpb.GNMI_SubscribeClient, 3000)
	var c gpb.GNMIClient
	for i := range streams {
		if i%100 == 0 { // a connection has 2*MaxStreams calls at most; clients bring several
			c = client()
		}
		streams[i], err = c.Subscribe(t.Context())
		require.NoError(t, err)
		require.NoError(t, streams[i].Send(&gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{
			Subscribe: lasting(t, &gpb.Subscription{Mode: gpb.SubscriptionMode_ON_CHANGE}, "/qos/queues")}}))
	}
	until := func(done func(*gpb.SubscribeResponse) bool) {
		var all sync.WaitGroup
		for _, stream := range streams {
			all.Go(func() {
				for {
					m, err := stream.Recv()
					if err != nil || done(m) {
						require.NoError(t, err)
						return
					}
				}
			})
		}
		all.Wait()
	}
	until((*gpb.SubscribeResponse).GetSyncResponse)
	t.Logf("3,000 streams synced: %v", time.Since(began).Round(time.Millisecond))
	began = time.Now()
	_, err = client().Set(t.Context(), update(t, queueID, ietf(`3`)))
	require.NoError(t, err)
	until(func(m *gpb.SubscribeResponse) bool { return len(m.GetUpdate().GetUpdate()) > 0 })
	t.Logf("a change told to 3,000 streams: %v", time.Since(began).Round(time.Millisecond))
	for _, stream := range streams {
		go func() {
			for _, err := stream.Recv(); err == nil; _, err = stream.Recv() {
			}
		}()
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second)
	defer cancel()
	var gets, sets, worst atomic.Int64
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			c, queue := client(), fmt.Sprintf("/qos/queues/queue[name=c%d]/config/queue-id", i)
			for n := 0; ctx.Err() == nil; n++ {
				began := time.Now()
				if n%5 == 0 {
					_, err := c.Set(t.Context(), update(t, queue, ietf(strconv.Itoa(100+i))))
					require.NoError(t, err)
					sets.Add(1)
				} else {
					_, err := c.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, "/qos/queues")}})
					require.NoError(t, err)
					gets.Add(1)
				}
				worst.Store(max(worst.Load(), int64(time.Since(began))))
			}
		})
	}
	all.Wait()
	t.Logf("50 clients for %d s: %d Sets, %d Gets, no error, the longest took %v", seconds, sets.Load(), gets.Load(),
		time.Duration(worst.Load()).Round(time.Millisecond))
}
