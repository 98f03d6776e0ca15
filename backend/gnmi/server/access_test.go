package server_test

import (
	"fmt"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/buffer"
)

// users are somebody who looks and somebody who may do everything.
var users = []server.User{{Name: "viewer", Password: "look-but-do-not-touch"},
	{Name: "admin", Password: "open sesame", Writes: true}}

// TestUsers tries every RPC with every kind of credentials, over the wire.
func TestUsers(t *testing.T) {
	_, asic := planned(t)
	s, err := server.New(asic, 208, server.Options{Users: users})
	require.NoError(t, err)
	c := connect(t, s)
	for _, test := range []struct {
		name      string
		sent      []string
		read, set codes.Code
	}{
		{"nobody", nil, codes.Unauthenticated, codes.Unauthenticated},
		{"reader", []string{"username", "viewer", "password", "look-but-do-not-touch"}, codes.OK, codes.PermissionDenied},
		{"writer", []string{"username", "admin", "password", "open sesame"}, codes.OK, codes.OK},
		{"wrong password", []string{"username", "admin", "password", "open sesam"}, codes.Unauthenticated,
			codes.Unauthenticated},
		{"password of another", []string{"username", "viewer", "password", "open sesame"}, codes.Unauthenticated,
			codes.Unauthenticated},
		{"unknown", []string{"username", "root", "password", "open sesame"}, codes.Unauthenticated, codes.Unauthenticated},
		{"no password", []string{"username", "admin"}, codes.Unauthenticated, codes.Unauthenticated},
		{"empty password", []string{"username", "admin", "password", ""}, codes.Unauthenticated, codes.Unauthenticated},
		{"said twice", []string{"username", "admin", "username", "admin", "password", "open sesame", "password",
			"open sesame"}, codes.OK, codes.OK},
		{"two users", []string{"username", "admin", "username", "viewer", "password", "open sesame"}, codes.Unauthenticated,
			codes.Unauthenticated},
		{"two passwords", []string{"username", "admin", "password", "x", "password", "open sesame"}, codes.Unauthenticated,
			codes.Unauthenticated},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := metadata.AppendToOutgoingContext(t.Context(), test.sent...)
			_, capabilities := c.Capabilities(ctx, &gpb.CapabilityRequest{})
			_, get := c.Get(ctx, &gpb.GetRequest{Path: []*gpb.Path{{}}})
			stream, err := c.Subscribe(ctx)
			require.NoError(t, err)
			_ = stream.Send(once(&gpb.SubscriptionList{}, path(t, rounded)))
			_, subscribe := stream.Recv()
			for _, err := range []error{capabilities, get, subscribe} {
				require.Equal(t, test.read, status.Code(err), "%v", err)
			}
			_, set := c.Set(ctx, &gpb.SetRequest{})
			require.Equal(t, test.set, status.Code(set), "%v", set)
			for _, err := range []error{capabilities, get, subscribe, set} {
				require.NotContains(t, fmt.Sprint(err), "sesam")
				require.NotContains(t, fmt.Sprint(err), "look-but")
			}
		})
	}
}

// A password is in nothing that is printed.
func TestPasswordsAreNotPrinted(t *testing.T) {
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		out := fmt.Sprintf(verb, server.Options{Users: users})
		require.Contains(t, out, "viewer:read-only")
		require.NotContains(t, out, "sesame")
		require.NotContains(t, out, "touch")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	_, asic := newSwitch(t, 10)
	_, err := server.New(asic, 208, server.Options{MaxMessage: -1, MaxStreams: -1, MaxUpdates: -1, MinSample: -1,
		Patience: -1,
		Users:    []server.User{{Name: "a", Password: "secret"}, {Name: "a"}, {Password: "secret"}}})
	require.ErrorIs(t, err, buffer.ErrInvalid)
	for _, want := range []string{"max_message", "max_streams", "max_updates", "min_sample", "patience",
		"users[1].name: a a second time",
		"users[1].password", "users[2].name"} {
		require.ErrorContains(t, err, want)
	}
	require.NotContains(t, err.Error(), "secret")
}
