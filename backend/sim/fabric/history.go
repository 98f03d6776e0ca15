package fabric

// Most ports of a large fabric never see a pause, a mark or a drop. What these leave behind takes more memory than the
// rest of a port, so a port has a history from the first such event on.

// history is what a port knows beside the frames and bytes that it has counted.
type history struct {
	PortCounters                   // FramesIn, FramesOut, BytesIn and BytesOut are in traffic
	since        [Priorities]int64 // when each priority was paused
	finishBy     [Priorities]int64 // when the time of Host.AfterPause is over, for each class
}

// noHistory is that of a port to which nothing has happened. It is never changed.
var noHistory history

// past returns the history of the port, to be read.
func (p *port) past() *history {
	if p.history == nil {
		return &noHistory
	}
	return p.history
}

// record returns the history of the port, to be changed.
func (p *port) record() *history {
	if p.history == nil {
		p.history = new(history)
	}
	return p.history
}
