// Package diagnosis reads the counters of a switch and says what is wrong with
// its flow control.
//
// It takes two [Reading] values of one switch, one before the other, and looks
// at what has risen between them: per port and class, pauses sent and received,
// drops, bytes, time spent paused. [Diagnose] returns a [Finding] for each port
// and class that shows one of the known patterns, the worst first, with the
// numbers that speak for it and what to do. Counters of a real switch and those
// of the simulator are read alike; nothing else is needed of either.
//
// A port that sends pauses has congestion behind its ingress; one that receives
// them has a neighbour that is congested. The patterns:
//
//   - [Storm]: paused nearly all the time. A neighbour's NIC has stopped, or
//     there is a deadlock.
//   - [Headroom]: pauses sent and frames dropped at the ingress, together. What
//     was on its way when XOFF went out did not fit.
//   - [ClassMap]: frames dropped and no pause sent. PFC is off for the class, or
//     the two ends read the class from different fields or map it differently.
//   - [Footroom]: pauses sent though neither the port nor any egress is busy. The
//     sender resumes too late, and the egress starves meanwhile.
//   - [Spreading]: pauses received on one port and sent on others.
//   - [Victim]: pauses received, and no congestion of the switch's own.
//
// They are signs and no proofs. Headroom and footroom by these signs are common
// advice for Ethernet storage networks; the thresholds in [Limits], the other
// egress ports looked at for footroom, and the order of gravity are this
// project's choices (inferred).
package diagnosis
