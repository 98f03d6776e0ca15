package exposition_test

import (
	"fmt"
	"os"

	"github.com/cellwarden/cellwarden/internal/exposition"
)

// Requests are counted by their route.
func Example() {
	requests := &exposition.Family{Name: "requests_total", Help: "Requests.", Kind: exposition.Counter,
		Labels: []string{"route"}}
	requests.Add(1, "/health")
	requests.Add(1, "/health")
	fmt.Println(exposition.Write(os.Stdout, requests))
	// Output:
	// # HELP requests_total Requests.
	// # TYPE requests_total counter
	// requests_total{route="/health"} 2
	// <nil>
}
