package interop

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// gnmiCLI builds OpenConfig's command-line client, as go.mod pins it.
func gnmiCLI(t *testing.T) string {
	t.Helper()
	return effort.Command(t, ".", "github.com/openconfig/gnmi/cmd/gnmi_cli")
}

// TestGNMICLI has gnmi_cli ask, set and subscribe over mutual TLS.
func TestGNMICLI(t *testing.T) {
	l, file := start(t, server.Options{}), gnmiCLI(t)
	cli := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		args = append([]string{"-address", l.address, "-ca_crt", l.ca, "-client_crt", l.cert, "-client_key", l.key}, args...)
		out, err := exec.CommandContext(ctx, file, args...).CombinedOutput()
		return string(out), err
	}
	const dedicated = `elem:{name:"qos"} elem:{name:"buffer-allocation-profiles"} elem:{name:"buffer-allocation-profile" key:{key:"name" value:"p"}} elem:{name:"queues"} elem:{name:"queue" key:{key:"name" value:"3"}}`

	out, err := cli("-capabilities")
	require.NoError(t, err, out)
	for _, want := range []string{"openconfig-qos", "openconfig-interfaces", "JSON_IETF", "PROTO",
		`gNMI_version: "0.10.0"`} {
		require.Contains(t, strings.ReplaceAll(out, ":  ", ": "), want)
	}

	out, err = cli("-set", "-proto", `replace:{path:{elem:{name:"qos"}} val:{json_ietf_val:`+strconv.Quote(plan)+`}}`)
	require.NoError(t, err, out)
	require.Contains(t, l.asic.String(), inRegisters)

	out, err = cli("-set", "-proto", `update:{path:{`+dedicated+
		` elem:{name:"config"} elem:{name:"dedicated-buffer"}} val:{int_val:2000}}`)
	require.NoError(t, err, out)
	require.Contains(t, l.asic.String(), "Ethernet1/1 group 3 reserved 10 cells")

	out, err = cli("-get", "-proto", `path:{`+dedicated+
		` elem:{name:"state"} elem:{name:"dedicated-buffer"}} encoding:JSON_IETF`)
	require.NoError(t, err, out)
	require.Contains(t, out, `\"2080\"`)

	out, err = cli("-query_type", "once", "-query", "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=*]/queues/queue[name=*]/state/dedicated-buffer", "-display_type", "single")
	require.NoError(t, err, out)
	require.Contains(t, out, "dedicated-buffer")
	require.Contains(t, out, "2080")

	out, err = cli("-set", "-proto", `update:{path:{`+dedicated+
		` elem:{name:"config"} elem:{name:"dedicated-buffer"}} val:{uint_val:20800000}}`)
	require.Error(t, err)
	require.Contains(t, out, "ResourceExhausted")
	require.Contains(t, out, "ingress buffer allocation failed for interface Ethernet1/1")
	require.Contains(t, l.asic.String(), "Ethernet1/1 group 3 reserved 10 cells")
}

// Without a certificate nobody comes in.
func TestGNMICLIWithoutCertificate(t *testing.T) {
	l, file := start(t, server.Options{}), gnmiCLI(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, file, "-address", l.address, "-ca_crt", l.ca, "-timeout", "2s",
		"-capabilities").CombinedOutput()
	require.Error(t, err, string(out))
}
