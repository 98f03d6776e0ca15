package cbfc

import (
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Credits is a number of credits. It is not a number of cells: a credit is as large as both ends agree.
type Credits int64

// MaxLimit is the largest credit limit, of a port and of a virtual channel (SAI doc/CBFC: 2^20 - 1). More credits in
// use than this would be read as fewer, because the counters have 20 bits.
const MaxLimit Credits = 1<<20 - 1

// MaxChannels is the number of virtual channels of a port (SAI doc/CBFC).
const MaxChannels = 32

// Bounds of an account and of the messages (SAI doc/CBFC, attributes of the port). SAI writes KB and MB; its default of
// 262,144 bytes shows that they are KiB and MiB.
const (
	minOverhead     unit.Bytes = -16
	maxOverhead     unit.Bytes = 127
	maxCreditSize   unit.Bytes = 1<<16 - 1 // the attribute has 16 bits
	leastSpacing    unit.Bytes = 800       // between two CF_Updates
	DefaultSpacing  unit.Bytes = 6400
	SpacingStep                = 16 * unit.KiB // of the largest spacing, and its least
	MostSpacing                = unit.MiB
	defaultMost                = 256 * unit.KiB
	leastTimer                 = unit.Microsecond // of CC_Update
	mostTimer                  = 250_000 * unit.Microsecond
	defaultTimer               = 256 * unit.Microsecond
	OrderedSetBytes unit.Bytes = 8  // a CF_Update or an LLR_ACK on the link
	CCUpdateBytes   unit.Bytes = 64 // a CC_Update, without gap and preamble
)

// Account says how packets are counted. Both ends of a link have the same. The credit size is at most the cell of the
// receiver, and the overhead at least that which the receiver stores with a packet (SAI doc/CBFC, initialization, steps
// 3 and 5).
type Account struct {
	Credit   unit.Bytes // bytes of a credit
	Overhead unit.Bytes // added to the length of each packet, -16 to 127
}

// Native returns the account of a receiver: its cells, and the bytes that it stores with a packet.
func Native(mem thresholds.Memory) Account {
	return Account{Credit: unit.Bytes(mem.Cell), Overhead: mem.Overhead}
}

// Packet returns the credits of a packet: ceil((length + overhead) / credit size), SAI doc/CBFC step 2a.
func (a Account) Packet(length unit.Bytes) Credits {
	return Credits((length + a.Overhead + a.Credit - 1) / a.Credit)
}

// Validate refuses an account that SAI cannot express.
func (a Account) Validate() error {
	var bad fielderr.List
	bad.Within("credit size in bytes", int64(a.Credit), 1, int64(maxCreditSize))
	bad.Within("overhead in bytes", int64(a.Overhead), int64(minOverhead), int64(maxOverhead))
	return bad.Err()
}

// validateFor refuses an account with which a memory could overflow.
func (a Account) validateFor(mem thresholds.Memory) error {
	var bad fielderr.List
	bad.Join(a.Validate())
	bad.Check(a.Credit <= unit.Bytes(mem.Cell), "credit size", a.Credit,
		"at most the receiver's cell of %v: a credit is room for one cell at least", unit.Bytes(mem.Cell))
	bad.Check(a.Overhead >= mem.Overhead, "overhead", a.Overhead,
		"at least the %v that the receiver stores with each packet", mem.Overhead)
	return bad.Err()
}

// Updates says when both ends tell each other their counters.
type Updates struct {
	Least unit.Bytes // between two CF_Updates of a port, in bytes of the link
	Most  unit.Bytes // after these bytes a CF_Update is sent in any case: one may have been lost
	Timer unit.Time  // between two CC_Updates
}

// DefaultUpdates returns SAI's defaults.
func DefaultUpdates() Updates { return Updates{DefaultSpacing, defaultMost, defaultTimer} }

// Validate refuses values that SAI cannot express.
func (u Updates) Validate() error {
	var bad fielderr.List
	bad.Within("spacing of CF_Updates in bytes, least", int64(u.Least), int64(leastSpacing), int64(MostSpacing))
	bad.Within("spacing of CF_Updates in bytes, most", int64(u.Most), int64(SpacingStep), int64(MostSpacing))
	bad.Check(u.Most%SpacingStep == 0, "spacing of CF_Updates, most", u.Most, "a multiple of %v", SpacingStep)
	bad.Check(u.Most >= u.Least, "spacing of CF_Updates, most", u.Most, "at least the least, %v", u.Least)
	bad.Check(u.Timer >= leastTimer && u.Timer <= mostTimer && u.Timer%unit.Microsecond == 0, "timer of CC_Updates",
		u.Timer, "1us to 250ms, whole microseconds")
	return bad.Err()
}

// Counter is a cyclic counter of 20 bits.
type Counter uint32

// Plus returns the counter after n more.
func (c Counter) Plus(n Credits) Counter { return Counter(uint64(c)+uint64(n)) & Counter(MaxLimit) }

// Since returns how far the counter is ahead of another one, 0 to 2^20 - 1.
func (c Counter) Since(o Counter) Credits { return Credits((c - o) & Counter(MaxLimit)) }

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

// Update takes over the receiver's counter from a CF_Update (step 3d). It returns the credits that became free.
func (s *Sender) Update(freed Counter) Credits {
	n := freed.Since(s.Freed)
	s.Freed = freed
	return n
}

// Receiver is the counters of a virtual channel at the receiver (SAI doc/CBFC: R_CC_vc, R_CF_vc).
type Receiver struct {
	Consumed Counter // by packets that arrived
	Freed    Counter // by packets that left the buffer, and by those that never arrived
}

// Arrive counts a packet of n credits that is stored (step 2c).
func (r *Receiver) Arrive(n Credits) { r.Consumed = r.Consumed.Plus(n) }

// Free counts a packet of n credits that has left the buffer (step 3b).
func (r *Receiver) Free(n Credits) { r.Freed = r.Freed.Plus(n) }

// Reconcile takes over the sender's counter from a CC_Update (step 4b): packets that were sent before it and did not
// arrive never will, so their credits are free. It returns how many these are. A CC_Update has to arrive in the order
// in which it was sent: earlier, it would free packets that are still on the link.
func (r *Receiver) Reconcile(consumed Counter) Credits {
	n := consumed.Since(r.Consumed)
	r.Freed, r.Consumed = r.Freed.Plus(n), consumed
	return n
}

// Stored returns the credits of the packets in the buffer.
func (r *Receiver) Stored() Credits { return r.Consumed.Since(r.Freed) }
