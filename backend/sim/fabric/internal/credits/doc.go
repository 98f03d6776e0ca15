// Package credit simulates one link with credit-based flow control (CBFC) and
// link-layer retry (LLR), exactly, to the bit time. It shows that the sizes of
// package cbfc are right, and what happens with less, with errors on the link, and
// when channels begin in the wrong order.
//
//	l := credits.Link{Way: 600_000, Hold: 0, Spacing: 51_200, Account: account, Channels: []credits.Channel{channel}}
//	r, err := l.Run(100_000_000)
//
// All times are bit times of the link, so all results are exact. An error is a
// bit of the link that is wrong: one at a random place of every so many bits, by a
// seed. What it falls on is corrupted: a frame, a CF_Update, an acknowledgement.
//
// The state machines of both ends have no clock and no queue of events: they say what is due at a time. A Link drives
// them for one link, and package fabric for the links of a network, so both count alike.
//
//   - ends.go: both ends of CBFC: the counters, and when CF_Updates are sent
//   - retry.go: both ends of LLR: the replay buffer, and the sequence at the receiver
//   - errors.go: where the link's errors fall
//   - link.go: the link and its parameters; result.go: what a run returns
//   - run.go, sender.go, receiver.go: the events of a link
//   - fibre.go: the credits of Fibre Channel, to compare
//
// Not modelled: how the limits are exchanged (a channel has its limit when it
// begins), errors in bursts, the loss of the link itself, and errors that fall on the messages INIT and INIT_ECHO of
// LLR.
package credits
