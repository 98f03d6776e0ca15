package internal_test

import (
	"encoding/json"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/unnamed"
)

func Example_unnamed() {
	var doc struct {
		Ports []struct {
			Name string `json:"name"`
		} `json:"ports"`
		Notes []struct{} `json:"notes"`
		Next  *struct {
			Probe string `json:"probe"`
		} `json:"next,omitempty"`
	}
	for i, to := range unnamed.List(&doc.Ports, 2) {
		to.Name = fmt.Sprintf("Ethernet%d", i)
		doc.Ports[i] = to
	}
	unnamed.Add(&doc.Ports).Name = "Ethernet2"
	unnamed.List(&doc.Notes, 0)
	unnamed.New(&doc.Next).Probe = "64B"
	text, err := json.Marshal(doc)
	fmt.Println(string(text), err)
	// Output:
	// {"ports":[{"name":"Ethernet0"},{"name":"Ethernet1"},{"name":"Ethernet2"}],"notes":[],"next":{"probe":"64B"}} <nil>
}
