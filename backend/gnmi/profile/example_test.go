package profile_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
)

// A switch lists its models in the answer to Capabilities. They show which kind
// of switch it is, and the profile states how that kind accepts each register.
func Example() {
	p, why := profile.Find([]profile.Model{
		{Name: "openconfig-qos", Organization: "OpenConfig working group", Version: "0.11.0"},
		{Name: "srl_nokia-qos", Organization: "Nokia", Version: "2025-03-31"},
	})
	fmt.Printf("%s: %s\n", p.Name, why)
	for _, k := range []buffer.Kind{buffer.QueueECNMin, buffer.GroupHeadroom} {
		if rule := p.Rule(k); rule.Expressible() {
			fmt.Printf("%s is sent in %s:\n%s\n", rule.Register, rule.Unit, rule.Path)
		} else {
			fmt.Printf("%s is not sent:\n%s\n", rule.Register, rule.Why)
		}
	}
	// Output:
	// srlinux: it lists the model srl_nokia-qos
	// queue ecn kmin is sent in bytes:
	// /qos/queue-management-profiles/queue-management-profile[name=*]/wred/uniform/config/min-threshold
	// group headroom is not sent:
	// OpenConfig has no leaf for headroom (xoff): openconfig-qos models no priority flow control
}
