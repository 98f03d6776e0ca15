package sonicfake_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// lengthOf is a Set of the cable of a port.
func lengthOf(port string) *gpb.SetRequest {
	p := &gpb.Path{}
	for _, name := range []string{"CONFIG_DB", "localhost", "CABLE_LENGTH", "AZURE", port} {
		p.Elem = append(p.Elem, &gpb.PathElem{Name: name})
	}
	return &gpb.SetRequest{Prefix: &gpb.Path{Origin: "sonic-db"}, Update: []*gpb.Update{{Path: p,
		Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(`"40m"`)}}}}}
}

// A slash in a key is ~1 in the path of a Set: as it is, it parts two keys.
func TestSlashInAKey(t *testing.T) {
	s := sonicfake.New(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Eth1/1": "5m"}}})
	_, err := s.Set(t.Context(), lengthOf("Eth1/1"))
	require.Equal(t, codes.Unknown, status.Code(err))
	_, err = s.Set(t.Context(), lengthOf("Eth1~11"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"Eth1/1": "40m"}, s.Config()["CABLE_LENGTH"]["AZURE"])
}

// A server that is read-only changes nothing.
func TestReadOnly(t *testing.T) {
	s := sonicfake.New(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}})
	s.ReadOnly = true
	_, err := s.Set(t.Context(), lengthOf("Ethernet0"))
	require.Equal(t, codes.Unimplemented, status.Code(err))
	require.Equal(t, "5m", s.Config()["CABLE_LENGTH"]["AZURE"]["Ethernet0"])
}
