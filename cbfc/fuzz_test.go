package cbfc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cbfc"
)

// FuzzCounters sends packets over a link that loses some, and compares the counters of both ends, which turn over, with
// numbers that do not.
func FuzzCounters(f *testing.F) {
	f.Add(uint32(0), []byte{0, 9, 1, 0, 2, 0, 3, 0})
	f.Add(uint32(cbfc.MaxLimit), []byte{0, 255, 0, 255, 4, 0, 1, 0, 3, 0, 2, 0, 3, 0})
	f.Fuzz(func(t *testing.T, start uint32, ops []byte) {
		at := cbfc.Counter(start & uint32(cbfc.MaxLimit))
		const limit = 1000
		s := cbfc.Sender{Consumed: at, Freed: at, Limit: limit}
		r := cbfc.Receiver{Consumed: at, Freed: at}
		var link, stored []cbfc.Credits
		var inUse, lost cbfc.Credits // of packets that the sender does not know to be gone; that were lost
		var freed cbfc.Credits       // that the receiver has freed, and the sender does not know of
		for ; len(ops) >= 2; ops = ops[2:] {
			n := cbfc.Credits(ops[1]) + 1
			switch ops[0] % 5 {
			case 0: // a packet is sent, if it may
				require.Equal(t, inUse+n <= limit, s.May(n))
				if s.May(n) {
					s.Send(n)
					link, inUse = append(link, n), inUse+n
				}
			case 1: // the first packet on the link arrives
				if len(link) > 0 {
					r.Arrive(link[0])
					link, stored = link[1:], append(stored, link[0])
				}
			case 2: // the first packet in the buffer leaves it
				if len(stored) > 0 {
					r.Free(stored[0])
					freed, stored = freed+stored[0], stored[1:]
				}
			case 3: // both ends compare, behind all that is on the link
				for _, n := range link {
					r.Arrive(n)
				}
				link, stored = nil, append(stored, link...)
				require.Equal(t, lost, r.Reconcile(s.Consumed))
				freed, lost = freed+lost, 0
				require.Equal(t, freed, s.Update(r.Freed))
				inUse, freed = inUse-freed, 0
			case 4: // the first packet on the link is lost
				if len(link) > 0 {
					lost, link = lost+link[0], link[1:]
				}
			}
			var sum cbfc.Credits
			for _, n := range stored {
				sum += n
			}
			require.Equal(t, sum, r.Stored())
			require.Equal(t, inUse, s.InUse())
			require.LessOrEqual(t, s.InUse(), s.Limit)
		}
	})
}
