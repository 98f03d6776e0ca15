package buffer_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// One refusal, as different switches would say it.
func ExampleRefusal_Cisco() {
	plan, err := buffer.New(dedicated(16, 2*unit.Kilometre))
	if err != nil {
		fmt.Println(err)
		return
	}
	var r *buffer.Refusal
	if errors.As(plan.Err(), &r) {
		fmt.Println(r.Cisco(1, 2))
		fmt.Println(r.SAI())
		fmt.Println(r.Mlxsw())
		fmt.Println(r.SONiCProfile())
		fmt.Println(r.SONiCSpeedCable(100*unit.Gbps, 2*unit.Kilometre))
		for _, c := range r.Consumers {
			fmt.Printf("- %d cells: %s %s\n", c.Cells, c.Item, c.Ports)
		}
	}
	// Output:
	// %ACLQOS-SLOT1-2-ACLQOS_FAILED: ACLQOS failure: Ingress buffer allocation failed for interface Ethernet1/5
	// SAI_STATUS_INSUFFICIENT_RESOURCES: group 3 asks slice 0 for 4997 of 177 cells, 4820 short
	// -ENOBUFS: the headroom of Ethernet1/5 cannot be set: group 3 asks slice 0 for 4997 of 177 cells, 4820 short
	// Unable to update profile for port Ethernet1/5. Accumulative headroom size exceeds limit
	// Update speed (100000) and cable length (2km) for port Ethernet1/5 failed, accumulative headroom size exceeds the limit
	// - 19964 cells: headroom rdma 100G 2km Ethernet1/1,Ethernet1/4
	// - 24 cells: reserved rdma Ethernet1/1,Ethernet1/4
}

func TestVendorsFormsForPools(t *testing.T) {
	r := buffer.NewRefusal("", buffer.Shortfall{Reason: buffer.PoolTooLarge, Slice: 2, Needed: 9, Available: 5, Short: 4})
	require.Equal(t, "%ACLQOS-SLOT1-1-ACLQOS_FAILED: ACLQOS failure: Ingress buffer allocation failed for slice 2", r.Cisco(1, 1))
	require.Contains(t, r.Mlxsw(), "the headroom of slice 2 cannot be set")
	require.Equal(t, "pool of slice 2: no cells are left to share: 9 are guaranteed or configured, 5 are there", r.Broadcom())
}
