package push

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Many pushes ask for the same hosts: a name is looked up once, also one that is not found.
func TestHostsAreLookedUpOnce(t *testing.T) {
	var asked atomic.Int32
	was := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = was })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		asked.Add(1)
		return nil, errors.New("no server of names")
	}}
	names, err := lockNames("leaf1.example:9339", "")
	require.NoError(t, err)
	require.Equal(t, []string{"leaf1.example:9339"}, names)
	first := asked.Load()
	require.Positive(t, first)
	_, err = lockNames("leaf1.example:9339", "pod1")
	require.NoError(t, err)
	require.Equal(t, first, asked.Load())
}
