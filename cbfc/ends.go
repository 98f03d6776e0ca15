package cbfc

// Sender is the counters of a virtual channel at the sender (SAI doc/CBFC:
// S_CC_vc, S_CF_vc, S_CL_vc). The zero Sender may send nothing.
type Sender struct {
	Consumed Counter // by packets that were sent
	Freed    Counter // as of the last CF_Update
	Limit    Credits // at most MaxLimit
}

// InUse returns consumed less freed (S_CU_vc).
func (s *Sender) InUse() Credits { return s.Consumed.Since(s.Freed) }

// May tells whether a packet of n credits may be sent (step 2a).
func (s *Sender) May(n Credits) bool { return s.InUse()+n <= s.Limit }

// Send counts a packet of n credits that is sent.
func (s *Sender) Send(n Credits) { s.Consumed = s.Consumed.Plus(n) }

// Update takes over the receiver's counter from a CF_Update (step 3d). It
// returns the credits that became free.
func (s *Sender) Update(freed Counter) Credits {
	n := freed.Since(s.Freed)
	s.Freed = freed
	return n
}

// Receiver is the counters of a virtual channel at the receiver (SAI doc/CBFC:
// R_CC_vc, R_CF_vc).
type Receiver struct {
	Consumed Counter // by packets that arrived
	Freed    Counter // by packets that left the buffer, and by those that never arrived
}

// Arrive counts a packet of n credits that is stored (step 2c).
func (r *Receiver) Arrive(n Credits) { r.Consumed = r.Consumed.Plus(n) }

// Free counts a packet of n credits that has left the buffer (step 3b).
func (r *Receiver) Free(n Credits) { r.Freed = r.Freed.Plus(n) }

// Reconcile takes over the sender's counter from a CC_Update (step 4b): packets
// that were sent before it and did not arrive never will, so their credits are
// free. It returns how many these are. A CC_Update has to arrive in the order
// in which it was sent: earlier, it would free packets that are still on the
// link.
func (r *Receiver) Reconcile(consumed Counter) Credits {
	n := consumed.Since(r.Consumed)
	r.Freed, r.Consumed = r.Freed.Plus(n), consumed
	return n
}

// Stored returns the credits of the packets in the buffer.
func (r *Receiver) Stored() Credits { return r.Consumed.Since(r.Freed) }
