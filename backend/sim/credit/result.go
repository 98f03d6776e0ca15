package credit

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
)

// Result is what happened in a run.
type Result struct {
	End      int64           // the time of the last event, or the time until which the run was to go
	Channels []ChannelResult // in the order of the link's
	Waited   int64           // for which the link was idle although a channel had a frame: no credits, no place to replay
	Overflow int64           // frames for which the receiver had no cell; 0 in every link with enough room
	Stored   cells.Count     // most cells of all channels at once

	Corrupted      int64 // frames with a wrong bit
	CFSent, CFLost int64 // CF_Updates
	CCSent, CCLost int64 // CC_Updates
	ReplayCounters       // of link-layer retry at the sender
	Acks, Nacks    int64 // sent by the receiver
	Duplicates     int64 // frames that had arrived already, and were dropped
}

// ChannelResult is what happened to one channel.
type ChannelResult struct {
	Sent      int64 // frames that the sender began, each once
	Delivered int64 // frames that left by the egress
	Bits      int64 // of the delivered frames on the link, with gap and preamble
	Lost      int64 // frames that never arrived: corrupted, given up, or without a cell
	Leaked    cbfc.Credits
	Repaired  cbfc.Credits // by CC_Updates
	InUse     cbfc.Credits // at the end, at the sender
	Stored    cells.Count  // most at once
}
