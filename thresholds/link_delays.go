package thresholds

// LinkDelays are the delays that IEEE sums up, in bit times of the link, gap and
// preamble counted with each frame. Cable and Interface are of one direction, and
// the sum has both twice.
type LinkDelays struct {
	Longest   int64 // longest frame of the port, which the pause frame waits for
	Pause     int64 // pause frame
	Interface int64 // of one direction: transmit at one end and receive at the other
	Cable     int64 // of one direction, with what the link has beside it
	Response  int64 // of the sender, from the pause frame's end to its silence
	Begun     int64 // longest frame of the class, which the sender has begun
}

// Total is the sum.
func (d LinkDelays) Total() int64 {
	return d.Longest + d.Pause + 2*d.Interface + 2*d.Cable + d.Response + d.Begun
}

// LinkDelays returns the delays of a link: for whoever lets them happen, such as
// a simulator. It refuses what Size refuses.
func (m IEEE) LinkDelays(l Link) (LinkDelays, error) {
	_, b, _, err := m.size(l, Memory{Cell: 1})
	return LinkDelays{Longest: b[0], Pause: b[1], Interface: b[2], Cable: b[3], Response: b[5], Begun: b[6]}, err
}
