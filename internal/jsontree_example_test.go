package internal_test

import (
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/internal/jsontree"
)

// A switch answers a Get of /qos: the container's name is repeated, names have modules,
// and a number of 64 bits is a string. What is wanted is found all the same.
func Example_jsontree() {
	value := &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(
		`{"openconfig-qos:qos": {"queues": {"queue": [{"name": "3", "vendor:limit": "8589934592"}]}}}`)}}
	tree, err := jsontree.Tree(value)
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, _ = jsontree.Models.Unwrap(tree, "qos")
	tree = jsontree.Models.Unqualified(tree)
	queue := jsontree.Child(jsontree.Child(tree, "queues", "", ""), "queue", "name", "3")
	fmt.Println(queue)
	want, err := jsontree.Decode([]byte(`{"limit": 8589934592}`))
	fmt.Println(jsontree.Contains(queue, want), err)
	// Output:
	// map[limit:8589934592 name:3]
	// true <nil>
}
