package system_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/system"
)

// Example reads a configuration of which the system is not said.
func Example() {
	say := func(data []byte) error {
		name, err := system.Of(data)
		if err != nil {
			return err // of no system that has a reader, or of more than one
		}
		reading, err := system.Read(name, "leaf1.cfg", data, audit.Chip{})
		if err != nil {
			return err
		}
		fmt.Println(name, reading.System, reading.Statements.Read)
		return nil
	}
	if err := say([]byte(`{"ports": [], "portPgConfigs": {}}`)); err != nil {
		panic(err)
	}
	// Output: fboss FBOSS 1
}

// TestOf tells systems apart by what one alone has.
func TestOf(t *testing.T) {
	for text, want := range map[string]system.Name{
		`{"BUFFER_POOL": {}}`:                                                 system.SONiC,
		`{"sw": {"ports": [{"logicalID": 1}]}}`:                               system.FBOSS,
		`{"configuration": {"class-of-service": {}}}`:                         system.Junos,
		`{"openconfig-qos:qos": {}}`:                                          system.EOS,
		"class-map type qos match-all RDMA\n  match dscp 26\n":                system.NXOS,
		"! device: leaf1\ninterface Ethernet1\n   priority-flow-control on\n": system.EOS,
		"class-of-service {\n    shared-buffer {\n    }\n}\n":                 system.Junos,
		"set class-of-service shared-buffer ingress percent 100\n":            system.Junos,
	} {
		got, err := system.Of([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	_, err := system.Of([]byte("hello world\n"))
	require.ErrorIs(t, err, system.ErrUnknown)
	_, err = system.Of([]byte("system qos\npriority-flow-control on\n"))
	require.ErrorContains(t, err, "1 lines are of nxos and 1 of eos: accepted: a configuration of one system")
	require.False(t, errors.Is(err, system.ErrUnknown))
	_, err = system.Parse("ios")
	require.EqualError(t, err, `system "ios": accepted: sonic, fboss, nxos, eos, junos`)
}
