package audit_test

import (
	"encoding/json"
	"fmt"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// A program of continuous integration audits a configuration before and after a change. It lists what the change brings
// in, accepts it in a baseline, and then lists nothing.
func Example_sinceAndBaseline() {
	findings := func(pools string) []finding.Finding {
		text := `{"DEVICE_METADATA": {"localhost": {"platform": "x86_64-juniper_qfx5200-r0"}},
			"BUFFER_POOL": {` + pools + `}}`
		reading, err := sonic.System.Read("config_db.json", []byte(text), audit.Chip{})
		if err != nil {
			fmt.Println(err)
			return nil
		}
		return audit.Run(audit.Source{File: "config_db.json", Reading: reading}).Findings
	}
	const old = `"ingress_lossy_pool": {"size": "33329088", "type": "ingress", "mode": "dynamic"}`
	before := findings(old)
	now := findings(old + `, "egress_lossy_pool": {"size": "33329088", "type": "egress", "mode": "dynamic"}`)

	fresh, were, mended := finding.Since(before, now)
	fmt.Printf("%d were there before, %d of these are mended\n", were, mended)
	for _, f := range fresh {
		fmt.Println(f.Code, f.Object)
	}
	file, err := json.Marshal(finding.NewBaseline(now))
	if err != nil {
		fmt.Println(err)
		return
	}
	baseline, err := finding.ReadBaseline(file, audit.Codes())
	if err != nil {
		fmt.Println(err)
		return
	}
	left, accepted, gone := baseline.New(now)
	fmt.Println(len(left), "left,", accepted, "accepted,", gone, "gone:", finding.Level("error").Fails(left))
	// Output:
	// 1 were there before, 0 of these are mended
	// pool-over-chip BUFFER_POOL|egress_lossy_pool
	// 0 left, 2 accepted, 0 gone: false
}
