package thresholds

// LinkDelays are the delays that IEEE adds up, in bit times of the link. Frames
// include preamble and gap. Interface and Cable are those of one direction; the
// sum contains both twice.
type LinkDelays struct {
	Sum       DelaySum // how the delays of the ends add up: SumOfTexts or SumOfEnds
	Longest   int64    // longest frame of the port, for which the pause frame waits
	Pause     int64    // pause frame
	Interface int64    // one direction: transmit at one end and receive at the other; half an end's delay in SumOfEnds
	Cable     int64    // one direction, with the link's extra delay
	Response  int64    // of the sender, from the end of the pause frame until it stops
	Begun     int64    // longest frame of the class, which the sender has begun
}

// Total returns the sum.
func (d LinkDelays) Total() int64 {
	return d.Longest + d.Pause + 2*d.Interface + 2*d.Cable + d.Response + d.Begun
}

// LinkDelays returns the delays of a link. The simulator uses them to build the
// worst case that the headroom must hold. It refuses what Size refuses.
func (m IEEE) LinkDelays(l Link) (LinkDelays, error) {
	_, b, ends, err := m.size(l, Memory{Cell: 1})
	return LinkDelays{Sum: ends.sum, Longest: b[0], Pause: b[1], Interface: (b[2] + b[4]) / 2, Cable: b[3],
		Response: b[5], Begun: b[6]}, err
}
