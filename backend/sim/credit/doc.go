// Package credit simulates one link with credit-based flow control (CBFC) and
// link-layer retry (LLR), exactly, to the bit time. It shows that the sizes of
// package cbfc are right, and what happens with less, with errors on the link, and
// when channels begin in the wrong order.
//
//	l := credit.Link{Way: 600_000, Hold: 0, Spacing: 51_200, Account: account, Channels: []credit.Channel{channel}}
//	r, err := l.Run(100_000_000)
//
// All times are bit times of the link, so all results are exact. An error is a
// bit of the link that is wrong: one at a random place of every so many bits, by a
// seed. What it falls on is corrupted: a frame, a CF_Update, an acknowledgement.
//
//   - link.go: the link and its parameters; result.go: what a run returns
//   - run.go: the events
//   - sender.go, receiver.go: both ends of CBFC
//   - retry.go: both ends of LLR
//   - errors.go: where the link's errors fall
//
// Not modelled: how the limits are exchanged (a channel has its limit when it
// begins), errors in bursts, the loss of the link itself, and the messages INIT and
// INIT_ECHO of LLR but for the time that they take.
package credit
