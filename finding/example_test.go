package finding_test

import (
	"encoding/json"
	"fmt"

	"github.com/cellwarden/cellwarden/finding"
)

// codes are those of a check that knows one mistake.
var codes = finding.NewRegistry("audit", `pool-over-chip error certain
  rule: A pool is larger than the chip.
  effect: The switch refuses it.
  repair: make it smaller
`)

// A check finds one mistake today. It is accepted, and tomorrow another one is new.
func Example() {
	at := finding.Place{File: "config_db.json", Line: 12}
	f := codes.New("pool-over-chip", at, "BUFFER_POOL|p", "size 40 exceeds the chip's 32")
	fmt.Println(f.Place(), f.Severity, f.Message)

	file, _ := json.Marshal(finding.NewBaseline([]finding.Finding{f}))
	accepted, err := finding.ReadBaseline(file, codes)
	if err != nil {
		fmt.Println(err)
		return
	}
	moved, other := f, f
	moved.Line, other.Object = 14, "BUFFER_POOL|q"
	fresh, known, gone := accepted.New([]finding.Finding{moved, other})
	fmt.Println(len(fresh), "new:", fresh[0].Object+";", known, "accepted,", gone, "gone")
	// Output:
	// config_db.json:12 error size 40 exceeds the chip's 32
	// 1 new: BUFFER_POOL|q; 1 accepted, 0 gone
}
