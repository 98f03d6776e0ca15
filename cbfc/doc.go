// Package cbfc sizes credit-based flow control (CBFC), the second way of a link
// to lose no frame: the sender sends only what the receiver has room for.
//
// The receiver states its room in credits. A packet takes ceil((length + overhead) / credit size) of them. The sender
// counts what it has consumed, the receiver counts what has left its buffer and tells the sender in CF_Updates, ordered
// sets of 8 bytes. Consumed less freed is in use, and is never above the limit. So no buffer overflows, whatever the
// length of the cable; with too few credits the link is slower. [Size] computes how many keep it full.
//
//		s, err := cbfc.Size(cbfc.Channel{Link: link, Memory: memory})
//
//	  - account.go: credits of a packet, limits, the counters of a sender and of a receiver, and their repair
//	  - round_trip.go: the way of a frame and of its answer, and the frames that fill it, with every term of a link
//	  - size.go: credits and cells for a link
//	  - compare.go: the same link with PFC
//
// The sources are the proposals of SAI 1.18 (doc/CBFC, doc/LLR), which quote section 5 of the specification UEC 1.0.
// The specification itself was not at hand: what these documents do not say is marked as inferred. That is which delays
// an ordered set has inside both ends, that it waits for the end of a frame, and how CF_Updates of several virtual
// channels take turns.
package cbfc
