package nos_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
)

// A switch is recognized by the models that it lists. Cisco's marking thresholds are
// multiples of 6144 bytes; headroom has no leaf in OpenConfig.
func ExampleFindProfile() {
	p, reason := nos.FindProfile([]nos.Model{{Name: "Cisco-IOS-XR-um-policymap-cfg"}})
	fmt.Printf("%s: %s\n", p.Name, reason)
	fmt.Println(p.Rule(buffer.QueueECNMin).Fit(100_000), "bytes")
	fmt.Println(p.Missing()[buffer.GroupHeadroom])
	fmt.Println("PFC:", p.Disruption(buffer.GroupLossless))
	// Output:
	// cisco: it lists the model Cisco-IOS-XR-um-policymap-cfg
	// 104448 bytes
	// OpenConfig has no leaf for headroom (xoff): openconfig-qos models no priority flow control; the command line: policy-map type queuing; no gNMI path was found
	// PFC: port
}
