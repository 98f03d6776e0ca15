package oc_test

import (
	"fmt"

	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// A queue is named, the tree is checked, and the JSON for a switch is printed.
func Example() {
	var root oc.Root
	queue := root.GetOrCreateQos().GetOrCreateQueues().GetOrCreateQueue("lossless")
	queue.Config = &oc.OpenconfigQos_Qos_Queues_Queue_Config{
		Name:    new("lossless"),
		QueueId: new(uint8(3)),
	}
	if err := root.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	text, err := ygot.EmitJSON(&root, &ygot.EmitJSONConfig{
		Format:        ygot.RFC7951,
		Indent:        "  ",
		RFC7951Config: &ygot.RFC7951JSONConfig{AppendModuleName: true},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(text)
	// Output:
	// {
	//   "openconfig-qos:qos": {
	//     "queues": {
	//       "queue": [
	//         {
	//           "config": {
	//             "name": "lossless",
	//             "queue-id": 3
	//           },
	//           "name": "lossless"
	//         }
	//       ]
	//     }
	//   }
	// }
}
