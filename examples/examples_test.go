package examples_test

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/topology"
)

// A topology of the folder is read and planned without a file system.
func Example() {
	name := "arista-7060cx-32s.yaml"
	data, err := examples.Read(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := topology.Parse(name, data, examples.Read)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Chip.Name, len(in.Ports), "ports")
	// Output: tomahawk 32 ports
}

// Every topology can be planned, and no other file can be read.
func TestTopologies(t *testing.T) {
	require.Greater(t, len(examples.Topologies()), 6)
	for _, name := range examples.Topologies() {
		data, err := examples.Read(name)
		require.NoError(t, err)
		in, err := topology.Parse(name, data, examples.Read)
		require.NoError(t, err, name)
		_, err = buffer.New(in)
		require.NoError(t, err, name)
	}
	for _, name := range []string{"../README.md", "/etc/passwd", "plan/main.go", "examples.go", ""} {
		_, err := examples.Read(name)
		require.Error(t, err, name)
	}
	_, err := examples.Read("nothing.yaml")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
