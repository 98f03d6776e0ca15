package main

import (
	"regexp"
	"testing"

	"github.com/cellwarden/cellwarden/internal/cli"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// set writes one leaf of a switch, as another client would.
func set(t *testing.T, address, path string, v uint64) {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	at, err := ygot.StringToStructuredPath(path)
	require.NoError(t, err)
	at.Origin = "openconfig"
	_, err = gpb.NewGNMIClient(conn).Set(t.Context(),
		&gpb.SetRequest{Update: []*gpb.Update{{Path: at, Val: &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: v}}}}})
	require.NoError(t, err)
}

func TestDrift(t *testing.T) {
	address := serve(t, "--chip", "tomahawk")
	drift := []string{"drift", arista, "--target", address, "--insecure"}
	code, out, bad := cellwarden(t, drift...)
	require.Equal(t, cli.ExitDrift, code, bad)
	require.Contains(t, out, "352 differences")

	code, _, bad = cellwarden(t, "apply", arista, "--target", address, "--insecure")
	require.Zero(t, code, bad)
	code, out, bad = cellwarden(t, drift...)
	require.Zero(t, code, bad)
	require.Contains(t, out, "0 differences")
	require.Contains(t, out, "352 registers compared; 200 not compared, because OpenConfig cannot express them on this switch")

	_, out, _ = cellwarden(t, "apply", arista, "--dry-run", "--profile", "openconfig")
	set(t, address, regexp.MustCompile(`/qos/queue-management-profiles/\S+/min-threshold`).FindString(out), 2080)
	code, out, _ = cellwarden(t, drift...)
	require.Equal(t, cli.ExitDrift, code)
	require.Contains(t, out, "64 differences")
	require.Regexp(t, `Ethernet1/1 queue 3 ecn kmin +10 cells +1201 cells +/qos/interfaces/interface\[interface-id=Ethernet1/1\]/output/queues/queue\[name=3\]`, out)
	code, out, _ = cellwarden(t, append(drift, "-o", "json")...)
	require.Equal(t, cli.ExitDrift, code)
	require.Contains(t, out, `"registers_not_compared": 200`)
	require.Contains(t, out, `"holds": "10 cells"`)

	code, _, bad = cellwarden(t, "drift", arista, "--target", address, "--insecure", "--profile", "dell")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "no such profile")
}
