package ets

// Bound returns by how many bytes what the i-th of several members sends in a window may differ from its share, if all
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
func Bound(turns []int64, i int, frame int64) int64 {
	sum, n := int64(0), int64(len(turns))
	for _, q := range turns {
		sum += q
	}
	own := turns[i]
	high := (sum-own)*own + own*(n-1)*frame
	low := own * (sum - own + (n-1)*frame)
	return ((sum-own)*frame + max(high, low) + sum - 1) / sum
}
