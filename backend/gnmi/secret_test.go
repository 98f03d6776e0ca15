package gnmi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi"
)

// No way of printing options shows the password.
func TestSecretIsNotPrinted(t *testing.T) {
	opt := gnmi.Options{Cell: 208, Username: "operator", Password: "xyzzy-7"}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v %s %q %x\n", opt, opt, opt, opt.Password, opt.Password, opt.Password)
	data, err := json.Marshal(map[string]any{"password": opt.Password})
	require.NoError(t, err)
	out.Write(data)
	slog.New(slog.NewTextHandler(&out, nil)).Info("dialing", "password", opt.Password, "options", opt)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("dialing", "password", opt.Password)
	require.NotContains(t, out.String(), "xyzzy")
	require.NotContains(t, out.String(), "78797a7a79", "in hexadecimal")
	require.Contains(t, out.String(), "***")
	require.Equal(t, "xyzzy-7", string(opt.Password))
}

// A switch that repeats the password does not get it into an error.
func TestSecretOfTheSwitchsWords(t *testing.T) {
	l := newLab(t, chip(20000))
	for _, method := range []string{gpb.GNMI_Get_FullMethodName, gpb.GNMI_Capabilities_FullMethodName} {
		l.on(method, func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
			return nil, status.Error(codes.Unauthenticated, "password secret is wrong")
		})
		_, err := l.client.Capabilities(t.Context())
		if err == nil {
			_, err = l.client.Observe(t.Context())
		}
		require.ErrorContains(t, err, "password *** is wrong")
		var rpc *gnmi.RPCError
		require.ErrorAs(t, err, &rpc)
		require.NotContains(t, fmt.Sprintf("%+v %v", rpc, rpc.Unwrap()), "secret")
		require.Equal(t, codes.Unauthenticated, status.Code(err))
	}
}
