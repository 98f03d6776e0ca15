package nxos_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos/nxos"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// A port over two kilometres does not fit a small chip. A Nexus writes this line.
func ExampleSyslog() {
	plan, err := buffer.New(buffer.Intent{
		Chip:    buffer.Chip{Name: "small", Cell: 208, Groups: 8, Slices: []buffer.Slice{{Cells: 3000}}},
		Sizing:  thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true}},
		Ports:   []buffer.Port{{Name: "Ethernet1/1", Rate: 100 * unit.Gbps, Cable: 2 * unit.Kilometre, MTU: 9216}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var refusal *buffer.Refusal
	if errors.As(plan.Err(), &refusal) {
		fmt.Println(nxos.Syslog(refusal, 1, 2))
	}
	// Output:
	// %ACLQOS-SLOT1-2-ACLQOS_FAILED: ACLQOS failure: Ingress buffer allocation failed for interface Ethernet1/1
}

func TestSyslogOfPools(t *testing.T) {
	r := buffer.NewRefusal("", buffer.Shortfall{Reason: buffer.PoolTooLarge, Slice: 2, Needed: 9, Available: 5, Short: 4})
	require.Equal(t, "%ACLQOS-SLOT1-1-ACLQOS_FAILED: ACLQOS failure: Ingress buffer allocation failed for slice 2",
		nxos.Syslog(r, 1, 1))
}
