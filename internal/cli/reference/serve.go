package reference

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/netutil"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/web"
)

// serve answers over HTTP. Package web makes the answers; this file listens, and ends.

// Bounds of connections. An answer may take as long as --timeout. Without them a few slow clients could hold all of the
// program's files and memory.
const (
	serveConnections = 256              // at a time, before those without a request are closed
	serveRequests    = 320              // connections that have one; each may hold a topology in memory
	serveHeaderTime  = 5 * time.Second  // for a request's header: a slow client holds a connection no longer
	serveIdleTime    = time.Minute      // between two requests of one connection
	serveHeaderBytes = 16 << 10         // of a header
	serveEndTime     = 10 * time.Second // for the requests that are under way when the server ends
)

// serveFlags are the flags of the serve command. hosts are compared with the Host header; none: the loopback names.
// timeout is 1 s to 1 h.
type serveFlags struct {
	listen  string
	hosts   []string
	timeout time.Duration
}

// ServeCommand returns the serve command. There is no flag for TLS or a password: a proxy does both better, and the
// text of the help says so.
func ServeCommand() *cobra.Command {
	var f serveFlags
	c := cli.Command("serve", cli.Args(0, 0), func(cmd *cobra.Command, _ []string) error { return f.run(cmd) })
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8080", "address and port to listen on; port 0 takes a free one")
	c.Flags().StringSliceVar(&f.hosts, "host", nil,
		"names by which clients call the server, or * for any (default: the loopback names)")
	c.Flags().DurationVar(&f.timeout, "timeout", 30*time.Second, "longest time for an answer")
	return c
}

// run listens until the command's context ends. It ends with 0 when it is interrupted, and with 1 if a request that was
// under way had to be cut.
func (f *serveFlags) run(cmd *cobra.Command) error {
	if f.timeout < time.Second || f.timeout > time.Hour {
		return fmt.Errorf("--timeout %v (want 1s to 1h)", f.timeout)
	}
	// An empty host is every interface, and is no loopback address.
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return fmt.Errorf("--listen %q (want <address>:<port>, such as 127.0.0.1:8080)", f.listen)
	}
	// The names are compared with the Host header of each request, so that a page of another site cannot reach the
	// server by a name of its own (DNS rebinding).
	if !loopback(host) && len(f.hosts) == 0 {
		return fmt.Errorf("--listen %q is not on the loopback interface (want it with --host, the names by which clients "+
			"call the server; there is no password and no TLS)", f.listen)
	}
	for _, name := range f.hosts {
		// An address of IPv6 has colons and is accepted. A name with a port or a scheme would never be equal to a host.
		if strings.ContainsAny(name, "/: \t") && net.ParseIP(name) == nil || name == "" {
			return fmt.Errorf("--host %q (want a name, an address, or *)", name)
		}
	}
	// An empty list would mean the loopback names, which is not what an empty text says.
	if cmd.Flags().Changed("host") && len(f.hosts) == 0 {
		return errors.New(`--host "" (want a name, an address, or *)`)
	}
	// From here on errors are the machine's and no wrong usage.
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return cli.Failure(err)
	}
	// What net/http itself has to say, such as a client that breaks off, is a warning of the log and nothing on the
	// screen.
	errorLog := slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn)
	// The time to write is that of an answer and of its request's header, because it counts from the end of the header.
	server := &http.Server{
		Handler: web.New(web.Options{Version: cli.ReadVersion().Version, Hosts: f.hosts, Time: f.timeout,
			Log: func(text string) { slog.Error(text) }}),
		ReadHeaderTimeout: serveHeaderTime, ReadTimeout: f.timeout, WriteTimeout: f.timeout + serveHeaderTime,
		IdleTimeout: serveIdleTime, MaxHeaderBytes: serveHeaderBytes, ErrorLog: errorLog,
	}
	// The port is open when the line is printed, and in it is the port that was chosen for port 0.
	fmt.Fprintf(cmd.OutOrStdout(), "listening on http://%v/\n", listener.Addr())
	// It has a place, so that the goroutine ends even if the context was first.
	ended := make(chan error, 1)
	// Two bounds: idle connections are closed beyond the first, and beyond the second a new one waits.
	web.Connections(server, serveConnections)
	go func() { ended <- server.Serve(netutil.LimitListener(listener, serveRequests)) }()
	select {
	// Serve ends by itself only with an error, such as a listener that is broken.
	case err := <-ended:
		return cli.Failure(err)
	case <-cmd.Context().Done():
	}
	// The command's context has ended; the requests that are under way get ten seconds of their own.
	ctx, stop := context.WithTimeout(context.WithoutCancel(cmd.Context()), serveEndTime)
	defer stop()
	// Shutdown waits for what is under way; Close cuts what is left after that.
	if err := server.Shutdown(ctx); err != nil {
		return cli.Failure(errors.Join(fmt.Errorf("requests were cut: %w", err), server.Close()))
	}
	return nil
}

// loopback tells whether a host is on the loopback interface. A name that resolves to a loopback address is not looked
// up: only the name localhost counts.
func loopback(host string) bool {
	// A dot at the end of a name says that it is complete; it is the same name.
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	// These are 127.0.0.0/8 and ::1.
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
