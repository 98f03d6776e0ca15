package peers

// portPriority names a priority of a port.
type portPriority struct{ port, priority int }

// byteCounters are the counters that both rules keep.
type byteCounters struct {
	ingress, headroom, egress map[portPriority]int64
	paused                    map[portPriority]bool
	allHeadroom               int64
}

// newByteCounters returns counters at 0.
func newByteCounters() byteCounters {
	return byteCounters{map[portPriority]int64{}, map[portPriority]int64{}, map[portPriority]int64{},
		map[portPriority]bool{}, 0}
}

// pauseOnce tells whether XOFF is wanted and has not been sent, and notes that it is sent.
func (b *byteCounters) pauseOnce(k portPriority, pause bool) bool {
	if !pause || b.paused[k] {
		return false
	}
	b.paused[k] = true
	return true
}

// resumeOnce tells whether XON is wanted and has not been sent, and notes that it is sent.
func (b *byteCounters) resumeOnce(k portPriority, resume bool) bool {
	if !resume || !b.paused[k] {
		return false
	}
	b.paused[k] = false
	return true
}
