package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
)

// guarded serves a Tomahawk to clients with the password, and repeats wrong ones, as a careless switch would.
func guarded(t *testing.T, password string) string {
	t.Helper()
	_, service := simulated(t)
	grpcServer := grpc.NewServer(grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		given := append(md["password"], "none")[0]
		if len(md["username"]) != 1 || md["username"][0] != "operator" || given != password {
			return nil, status.Errorf(codes.Unauthenticated, "user %v with password %s is not known", md["username"], given)
		}
		return next(ctx, req)
	}))
	service.Register(grpcServer)
	return smallswitch.At(t, grpcServer)
}

// TestNoPasswordInAnyOutput looks for the password, right or wrong, in all that the command prints.
func TestNoPasswordInAnyOutput(t *testing.T) {
	effort.SkipShort(t, "it runs each verb that dials")
	address := guarded(t, "xyzzy-right")
	dir := t.TempDir()
	file := func(password string) string {
		name := filepath.Join(dir, "password-"+password[len(password)-5:])
		require.NoError(t, os.WriteFile(name, []byte(password+"\r\nsecond line\n"), 0o600))
		return name
	}
	base := []string{"apply", arista, "--target", address, "--insecure"}
	for _, test := range []struct {
		name, env string
		args      []string
		code      int
	}{
		{"from a file", "", []string{"--username", "operator", "--password-file", file("xyzzy-right")}, cli.ExitFine},
		{"as json", "", []string{"--username", "operator", "--password-file", file("xyzzy-right"), "-o", "json"},
			cli.ExitFine},
		{"from the environment", "xyzzy-right", nil, cli.ExitFine},
		{"wrong, from a file", "", []string{"--username", "operator", "--password-file", file("xyzzy-wrong")},
			cli.ExitFailure},
		{"wrong, as json", "", []string{"--username", "operator", "--password-file", file("xyzzy-wrong"), "-o", "json"},
			cli.ExitFailure},
		{"wrong, from the environment", "xyzzy-wrong", nil, cli.ExitFailure},
		{"a file before the environment", "xyzzy-wrong", []string{"--password-file", file("xyzzy-right")}, cli.ExitFine},
		{"a password without a user", "xyzzy-right", []string{"--username", ""}, cli.ExitUsage},
		{"a flag too many", "xyzzy-right", []string{"--tls-skip-verify"}, cli.ExitUsage},
		{"none", "", nil, cli.ExitFailure},
		{"help", "xyzzy-right", []string{"--help"}, cli.ExitFine},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(dial.PasswordVariable, test.env)
			t.Setenv(dial.UsernameVariable, "")
			if test.env != "" && test.code != cli.ExitUsage {
				t.Setenv(dial.UsernameVariable, "operator")
			}
			code, out, bad := cellwarden(t, append(base, test.args...)...)
			require.Equal(t, test.code, code, bad)
			require.NotContains(t, out+bad, "xyzzy")
			if test.code == cli.ExitFailure {
				require.Contains(t, bad, "is not known")
			}
		})
	}
}

// There is no flag that takes a password.
func TestNoFlagTakesAPassword(t *testing.T) {
	code, _, bad := cellwarden(t, "apply", arista, "--target", "x", "--password", "y")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "--password is no flag")
}
