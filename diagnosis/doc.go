// Package diagnosis reads the counters and watermarks of a switch and finds faults of its flow control.
//
// It compares two [Snapshot] values of one switch, taken one after the other: per port and class, the pauses sent and
// received, drops, bytes, and time spent paused. [Diagnose] returns a [finding.Finding] for each port and class that
// shows one of the known patterns, the most serious first, with its evidence and with advice. Counters of a real switch
// and of the simulator are treated alike.
//
// A port that sends pauses has congestion behind its ingress. A port that
// receives pauses has a congested neighbour. The patterns:
//
//   - storm: paused nearly all the time. A neighbour's NIC has stopped, or
//     there is a deadlock.
//   - headroom: pauses sent, and frames dropped at the ingress. The headroom
//     was too small for what was in flight after XOFF.
//   - overrun: a group held more headroom than the plan gives it.
//   - class-map: frames dropped, and no pause sent. PFC is off for the class,
//     or the two ends read the class from different fields or map it
//     differently.
//   - footroom: pauses sent although neither the port nor any egress is busy.
//     The sender resumes too late, and the egress runs empty meanwhile.
//   - spreading: pauses received on one port and sent on others.
//   - victim: pauses received, and no congestion in the switch itself.
//
// [Assess] joins the watermarks and counters of a real switch, where much may not be known, with what a plan
// gives: how much of its headroom each lossless group has used, which groups were never used, and
// which of the patterns above show.
//
// [Read] reads samples from dumps: what an operator copies from a terminal, exports from a database, or writes by hand.
//
//	show text   SONiC's "show priority-group watermark headroom|shared", "show priority-group drop counters",
//	            "show pfc counters", "show pfcwd stats", "show headroom-pool watermark", in any order, also
//	            with other text between them
//	JSON        SONiC's COUNTERS_DB, as a dump of Redis or as sonic-gnmi answers it
//	CSV         a line for each group: see [Columns]
//
// It tells them apart by their content. What a dump does not have is absent in the sample that it
// gives: nothing is taken for zero. A dump without anything readable is refused, and so is one
// that says two different things of one counter.
//
// The names of the fields are SAI's (saiport.h, saibuffer.h), the forms those of sonic-utilities 691b1bbc and
// sonic-gnmi 5ec1c20b.
//
// The patterns are evidence and not proof. Those of headroom and footroom are common advice for Ethernet storage
// networks. The thresholds in [Limits], the use of other egress ports for footroom, and the order of severity are this
// project's choices (inferred).
package diagnosis
