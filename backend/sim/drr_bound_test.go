package sim_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// bound returns by how many bytes what the i-th of several members sends in a window may differ from its share, if all
// have something to send all the time, and deficit round robin (Shreedhar and Varghese, SIGCOMM 1995) serves them. The
// turns are what a turn of each member is worth, in bytes; the frame is the longest.
//
// After T whole rounds and a part of one, member i has had T or T+1 turns of Q_i bytes. It has sent what they are
// worth, less what it has left over now and more what it had left over when the window began: less than a frame each.
// The member whose turn it is can lack the rest of its turn. So member i has sent T*Q_i + x_i, where x_i is from -F to
// Q_i + F, and with the share s_i = Q_i/sum(Q) of all bytes B
//
//	|B_i - s_i*B| = |x_i - s_i*sum(x)| <= (1-s_i)*F + max((1-s_i)*Q_i + s_i*(n-1)*F, s_i*sum(Q_j + F, j != i))
//
// A window of B bytes has shares within one percent of themselves if this is at most s_i*B/100.
func bound(turns []int64, i int, frame int64) int64 {
	sum, n := int64(0), int64(len(turns))
	for _, q := range turns {
		sum += q
	}
	own := turns[i]
	high := (sum-own)*own + own*(n-1)*frame
	low := own * (sum - own + (n-1)*frame)
	return ((sum-own)*frame + max(high, low) + sum - 1) / sum
}

// A server of deficit round robin keeps within the bound in every window.
func TestBound(t *testing.T) {
	effort.SkipShort(t, "it serves many queues")
	require.EqualValues(t, 15360, bound([]int64{40 * 256, 60 * 256}, 0, 9216))
	r := rand.New(rand.NewSource(2))
	for range 60 {
		n := 2 + r.Intn(5)
		turns, deficit, sent := make([]int64, n), make([]int64, n), make([]int64, n)
		sum, frame := int64(0), 64+r.Int63n(9000)
		for i := range turns {
			turns[i] = 100 + r.Int63n(20000)
			sum += turns[i]
		}
		i, head := 0, make([]int64, n)
		for k := range head {
			head[k] = 64 + r.Int63n(frame-63)
		}
		serve := func() {
			for deficit[i] < head[i] {
				i = (i + 1) % n
				deficit[i] += turns[i]
			}
			deficit[i] -= head[i]
			sent[i] += head[i]
			head[i] = 64 + r.Int63n(frame-63)
		}
		for range r.Intn(1000) {
			serve()
		}
		clear(sent)
		for range 2000 {
			serve()
			all := int64(0)
			for _, b := range sent {
				all += b
			}
			for k, b := range sent {
				off := b*sum - turns[k]*all
				require.LessOrEqual(t, max(off, -off), bound(turns, k, frame)*sum)
			}
		}
	}
}
