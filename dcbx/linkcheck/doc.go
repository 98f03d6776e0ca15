// Package linkcheck compares the two ends of a link, and says what is wrong between them.
//
// PFC needs both ends: one sends a pause, and the other has to obey it. If the ends have PFC for other priorities, read
// the priority of a frame from another field, or accept shorter frames than the other sends, then lossless frames are
// dropped although each end is configured well by itself.
//
// An [End] is what is known of one end. It comes from a topology ([FromIntent]) or from what the port sends by LLDP
// ([FromPDU]). Everything in it can be unknown. [Compare] returns a [Result]:
//
//	r := linkcheck.Compare(&a, &b)
//
// A finding ([finding.Finding]) names both ends, the values, the effect in words, the repair, and a scenario of the
// simulator that shows the effect, if there is one. What could not be compared is in Unknown, with the end that does
// not say it: a link without findings is the same at both ends as far as it was compared, and no further.
//
// Where both ends send DCBX, it is compared what is in force after they have negotiated, by the rules of package dcbx.
//
// Which differences are faults is this project's choice (inferred): those by which lossless frames can be dropped are
// errors. Bandwidths and the order of sending may differ, because they are of one direction each; such differences are
// warnings.
package linkcheck
