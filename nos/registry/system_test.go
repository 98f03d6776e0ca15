package registry_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// Example reads a configuration of which the system is not said.
func Example() {
	say := func(data []byte) error {
		system, err := registry.Of(data)
		if err != nil {
			return err // of no system that has a reader, or of more than one
		}
		reading, err := system.Read("leaf1.cfg", data, audit.Chip{})
		if err != nil {
			return err
		}
		fmt.Println(system.Name, reading.System, reading.Statements.Read)
		return nil
	}
	if err := say([]byte(`{"ports": [], "portPgConfigs": {}}`)); err != nil {
		panic(err)
	}
	// Output: fboss FBOSS 1
}

// TestOf tells systems apart by what one alone has.
func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		`{"BUFFER_POOL": {}}`:                                                 "sonic",
		`{"sw": {"ports": [{"logicalID": 1}]}}`:                               "fboss",
		`{"configuration": {"class-of-service": {}}}`:                         "junos",
		`{"openconfig-qos:qos": {}}`:                                          "eos",
		"class-map type qos match-all RDMA\n  match dscp 26\n":                "nxos",
		"! device: leaf1\ninterface Ethernet1\n   priority-flow-control on\n": "eos",
		"class-of-service {\n    shared-buffer {\n    }\n}\n":                 "junos",
		"set class-of-service shared-buffer ingress percent 100\n":            "junos",
		"{master:0}\nadmin@leaf1> show configuration\n":                       "junos",
		"{primary:node0}[edit]\nadmin@leaf1# show\n":                          "junos",
		// EOS has most words of NX-OS, too.
		"! device: leaf1 (DCS-7060CX-32S, EOS-4.32.1F)\npolicy-map type qos A\nfeature x\nvdc y\n": "eos",
		"!Command: show running-config\nqos map dscp 3 to traffic-class 3\nservice-profile A\n":    "nxos",
		"class-map type qos match-any A\n  match dscp 26\nservice-profile A\n":                     "eos",
		"class-map type qos match-any A\n  match dscp 26\nsystem qos\n":                            "nxos",
	} {
		got, err := registry.Of([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got.Name, text)
	}
	_, err := registry.Of([]byte("hello world\n"))
	require.ErrorIs(t, err, registry.ErrUnknown)
	_, err = registry.Of([]byte("policy-map type qos A\n  class B\ninterface Ethernet1\n  service-policy type qos input A\n"))
	require.EqualError(t, err, "no line is of one system alone: want --system eos or nxos")
	_, err = registry.Of([]byte("system qos\npriority-flow-control on\n"))
	require.ErrorContains(t, err, "1 lines are of eos and 1 of nxos: want a configuration of one system")
	require.False(t, errors.Is(err, registry.ErrUnknown))
	_, err = registry.Reader("ios")
	require.EqualError(t, err, `system "ios": want eos, junos, sonic, nxos, fboss`)
}

// TestUTF16SaysWhatItIs: a text in UTF-16 is of no system, and the error says how to convert it.
func TestUTF16SaysWhatItIs(t *testing.T) {
	for text, want := range map[string]string{"\xff\xfe{\x00\n\x00}\x00": "little", "\xfe\xff\x00h\x00o": "big",
		"{\x00}\x00": "little", "\x00{\x00}": "big"} {
		_, err := registry.Of([]byte(text))
		require.ErrorContains(t, err, "a text in UTF-16, "+want+" endian: want UTF-8 (iconv -f UTF-16 -t UTF-8)")
	}
}
