package cells_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// A Tomahawk slice: the reserved minima come from unused cells first, so the
// shared part stays what the operator configured.
func Example() {
	const cell = cells.Size(208)
	slice := cells.Pool{Total: 20165, Size: cell.Within(10875072) / 4}
	fmt.Println("headroom pool short of:", slice.Reserve(0, cell.Within(4194112)/4))
	fmt.Println("reserved short of:", slice.Reserve(32*cell.Holding(1248), 0))
	fmt.Println("shared", slice.Shared(), "unused", slice.Unused())
	fmt.Println("a million more is short of:", slice.Reserve(1e6, 0))
	// Output:
	// headroom pool short of: 0
	// reserved short of: 0
	// shared 13071 unused 1861
	// a million more is short of: 985068
}

func TestTwoRoundings(t *testing.T) {
	const cell = cells.Size(416)
	require.EqualValues(t, 6, cell.Holding(2300))
	require.EqualValues(t, 5, cell.Within(2300))
	require.EqualValues(t, 551, cell.Holding(228900), "the 15 km example of the practical method needs 229,216 bytes")
	require.Equal(t, unit.Bytes(229216), cell.Bytes(551))
	require.EqualValues(t, 1, cells.Size(208).Packet(144, 64))
	require.EqualValues(t, 2, cells.Size(208).Packet(145, 64),
		"the worst case of a 208-byte cell with a 64-byte header")
}

func TestPoolSizeMayIncludeTheHeadroom(t *testing.T) {
	// NH-4210: 614,370 cells of pool, 194,176 of shared headroom, 636,183 in all.
	excluded := cells.Pool{Total: 636183, Size: 614370}
	included := excluded
	included.SizeIncludesHeadroom = true
	require.Zero(t, included.Reserve(0, 194176))
	require.EqualValues(t, 420194, included.Shared())
	require.EqualValues(t, 21813, included.Unused())

	require.Zero(t, excluded.Reserve(0, 194176), "the headroom alone has room")
	require.EqualValues(t, 636183-194176, excluded.Shared(), "but the pool is no longer what was configured")
	require.Zero(t, excluded.Unused())
}

func TestReserveRefusesUnderTheFloorAndChangesNothing(t *testing.T) {
	p := cells.Whole(1000, 100)
	p.Floor = 200
	require.Zero(t, p.Reserve(300, 400))
	before := p
	require.EqualValues(t, 1, p.Reserve(1, 0))
	require.Equal(t, before, p)
	p.Release(1, 1)
	require.EqualValues(t, 202, p.Shared())
	require.Panics(t, func() { p.Release(1000, 0) })
	require.Panics(t, func() { p.Reserve(-1, 0) })
}

// Every cell is in one account, after any sequence of calls.
func FuzzPool(f *testing.F) {
	f.Add(int64(1000), int64(10), int64(500), int64(50), false, true, []byte{1, 2, 200, 7, 130, 9})
	f.Fuzz(func(t *testing.T, total, chip, size, floor int64, incHeadroom, incReserved bool, ops []byte) {
		clip := func(n int64) cells.Count { return cells.Count(max(n, 0) % (1 << 40)) }
		p := cells.Pool{Total: clip(total), Chip: clip(chip), Size: clip(size), Floor: clip(floor),
			SizeIncludesHeadroom: incHeadroom, SizeIncludesReserved: incReserved}
		for i := 0; i+1 < len(ops); i += 2 {
			r, h := cells.Count(ops[i]&0x7f), cells.Count(ops[i+1])
			before := p
			switch {
			case ops[i] < 0x80:
				if p.Reserve(r, h) > 0 {
					require.Equal(t, before, p)
				} else {
					require.GreaterOrEqual(t, p.Shared(), p.Floor)
				}
			case r <= p.Reserved() && h <= p.Headroom():
				p.Release(r, h)
			}
			require.Equal(t, p.Total, p.Chip+p.Reserved()+p.Headroom()+p.Shared()+p.Unused())
		}
	})
}
