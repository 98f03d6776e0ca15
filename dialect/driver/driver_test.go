package driver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect/driver"
)

// One refusal, as three kinds of drivers answer it.
func Example() {
	r := buffer.NewRefusal("Ethernet1/5", buffer.Shortfall{Reason: buffer.NoCells, Group: 3, Needed: 4997, Available: 177,
		Short: 4820})
	fmt.Println(driver.SAI(r))
	fmt.Println(driver.Mlxsw(r))
	fmt.Println(driver.Broadcom(r))
	// Output:
	// SAI_STATUS_INSUFFICIENT_RESOURCES: group 3 asks slice 0 for 4997 of 177 cells, 4820 short
	// -ENOBUFS: the headroom of Ethernet1/5 cannot be set: group 3 asks slice 0 for 4997 of 177 cells, 4820 short
	// pool of slice 0: no cells are left to share: 4997 are guaranteed or configured, 177 are there
}

func TestPools(t *testing.T) {
	r := buffer.NewRefusal("", buffer.Shortfall{Reason: buffer.PoolTooLarge, Slice: 2, Needed: 9, Available: 5, Short: 4})
	require.Contains(t, driver.Mlxsw(r), "the headroom of slice 2 cannot be set")
	require.Equal(t, "pool of slice 2: no cells are left to share: 9 are guaranteed or configured, 5 are there",
		driver.Broadcom(r))
}
