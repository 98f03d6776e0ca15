package server

import (
	"net"
	"sync"
)

// A client can open connections and do nothing with them. Options.MaxIdle ends those without
// calls, and Options.MaxConnections bounds all of them, so that files of the process and memory
// are left for others.

// Limit returns a listener that has at most MaxConnections connections at a time. A connection that
// is too many is closed at once: to let it wait would hide the limit.
func (o Options) Limit(l net.Listener) net.Listener {
	return &limited{Listener: l, places: make(chan struct{}, o.withDefaults().MaxConnections)}
}

// limited is a listener with a number of places. The channel holds one value for each connection that is open, so
// that a full one means that the limit is reached.
type limited struct {
	net.Listener
	places chan struct{}
}

// Accept returns the next connection that has a place.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.places <- struct{}{}:
			return &placed{Conn: c, leave: func() { <-l.places }}, nil
		default:
			_ = c.Close() // nothing was sent on it
		}
	}
}

// placed is a connection that has a place until it is closed.
type placed struct {
	net.Conn
	once  sync.Once
	leave func()
}

// Close closes the connection and gives its place back.
func (p *placed) Close() error {
	p.once.Do(p.leave)
	return p.Conn.Close()
}
