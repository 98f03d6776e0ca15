package intent_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/topology"
)

// A configuration as a topology, with the source of each value.
func Example() {
	data, err := os.ReadFile("testdata/leaf.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	db, err := sonic.System.Read("leaf.json", data, audit.Chip{})
	if err != nil {
		fmt.Println(err)
		return
	}
	source := audit.Source{File: "leaf.json", Reading: db, NoTable: true}
	written, err := write(source)
	fmt.Println(written, err)
	source.NoTable = false
	_, err = write(source)
	fmt.Println(errors.Is(err, intent.ErrUnknown))
	// Output:
	// 8 ports, 2 differences <nil>
	// true
}

// write writes the topology of a configuration, and says what it has.
func write(source audit.Source) (string, error) {
	imported, err := intent.Of(audit.Run(source))
	if err != nil {
		return "", err
	}
	comments := topology.Comments{Path: imported.Sources, Ports: imported.PortSources}
	written, err := topology.WriteCommented(imported.Intent, comments)
	if err != nil || len(written.Topology) == 0 {
		return "", err
	}
	return fmt.Sprintf("%d ports, %d differences", len(imported.Intent.Ports), len(imported.Differences)), nil
}
