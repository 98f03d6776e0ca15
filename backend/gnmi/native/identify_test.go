package native_test

import (
	"context"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// nokia is a switch with Nokia's own models alone.
type nokia struct {
	gpb.UnimplementedGNMIServer
	chassis string
}

func (n nokia) Get(_ context.Context, r *gpb.GetRequest) (*gpb.GetResponse, error) {
	if r.GetPrefix().GetOrigin() != "" {
		return nil, status.Error(codes.Unimplemented, "no such origin")
	}
	json := map[string]string{"platform": `{"srl_nokia-platform-chassis:chassis":{"type":"` + n.chassis + `"}}`,
		"interface": `{"srl_nokia-interfaces:interface":[{"name":"ethernet-1/1"},{"name":"mgmt0"}]}`}
	return &gpb.GetResponse{Notification: []*gpb.Notification{{Update: []*gpb.Update{{Path: &gpb.Path{},
		Val: jsonValue(json[r.GetPath()[0].GetElem()[0].GetName()])}}}}}, nil
}

func jsonValue(text string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}
}

// SR Linux names its chassis and its interfaces in its own models.
func TestIdentifySRLinux(t *testing.T) {
	as, err := registry.LoadProfile("srlinux")
	require.NoError(t, err)
	probe := &gnmi.ProbeResult{Profile: as}
	want := gnmi.Expected{Chip: "tomahawk3", Cell: 254, Ports: []string{"ethernet-1/1"}}
	identify := func(chassis string) *gnmi.Identity {
		return native.Identify(t.Context(), served(t, nokia{chassis: chassis}, 0), probe)
	}
	unknown, err := identify("7220 IXR-H3").Check(want)
	require.NoError(t, err)
	require.Equal(t, []string{"size of a cell"}, unknown)
	_, err = identify("7220 IXR-H4").Check(want)
	require.ErrorContains(t, err, "its product 7220 IXR-H4 has the chip tomahawk4")
	unknown, err = identify("7220 IXR-D3L").Check(want)
	require.NoError(t, err)
	require.Equal(t, []string{"chip", "size of a cell"}, unknown, "no source names its chip")
	want.Ports = append(want.Ports, "ethernet-1/2")
	_, err = identify("7220 IXR-H3").Check(want)
	require.ErrorContains(t, err, "the switch has no ports ethernet-1/2")
}

// A SONiC switch that does not answer has not said what it is; the push reads it anyway and fails there.
func TestIdentifySONiCWithoutAnswer(t *testing.T) {
	as, err := registry.LoadProfile("sonic")
	require.NoError(t, err)
	unknown, err := native.Identify(t.Context(), served(t, mute{}, 0), &gnmi.ProbeResult{Profile: as}).
		Check(gnmi.Expected{Chip: "tomahawk", Ports: []string{"Ethernet0"}})
	require.NoError(t, err)
	require.Equal(t, []string{"chip", "size of a cell", "ports"}, unknown)
}
