package registry_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// Cisco's marking thresholds are multiples of 6144 bytes; headroom has no leaf in OpenConfig.
func ExampleLoadProfile() {
	p, err := registry.LoadProfile("cisco")
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Name)
	fmt.Println(p.Rule(buffer.QueueECNMin).Fit(100_000), "bytes")
	fmt.Println(p.Missing()[buffer.GroupHeadroom])
	fmt.Println("PFC:", p.Disruption(buffer.GroupLossless))
	// Output:
	// cisco
	// 104448 bytes
	// OpenConfig has no leaf for headroom (xoff): openconfig-qos models no priority flow control; the command line: policy-map type queuing; no gNMI path was found
	// PFC: port
}
