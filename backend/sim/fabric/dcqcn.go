package fabric

import (
	"errors"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/dcqcn"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/unit"
)

// DCQCN is congestion control with ECN (Zhu et al., SIGCOMM 2015). The receiver
// answers marked frames with CNPs. The sender cuts its rate with each CNP and
// raises it again when there are none. It starts at line rate. A zero field has
// the default that is given beside it.
type DCQCN struct {
	Gain        int          // 1/g: how slowly alpha follows the marks; 256
	AlphaTimer  unit.Time    // K: alpha falls after so long without a CNP; 55 us
	Timer       unit.Time    // T: time between increases; 55 us
	ByteCounter unit.Bytes   // B: bytes between increases, with preamble and gap; 10 MB
	Recovery    int          // F: increases of each kind that only return to the target rate; 5
	Increase    unit.BitRate // R_AI: additive increase of the target rate; 40 Mb/s
	// Hyper is R_HAI: the increase of the target rate when timer and byte
	// counter are both beyond F; 200 Mb/s, as in the authors' ns-3
	// configuration.
	Hyper unit.BitRate
	Least unit.BitRate // lowest rate; 100 Mb/s, as in the HPCC simulator
	// CNPInterval is N, the shortest time between two CNPs of a flow. A frame
	// that is marked within it causes one at its end; 50 us.
	CNPInterval unit.Time
	// CNP is the class of the CNPs. It should be one that is not dropped and is
	// served first. Hosts send CNPs before data.
	CNP      Class
	CNPFrame unit.Bytes // length of a CNP; that of RoCEv2's, 78, or 82 with a tag
}

// Validate refuses values out of range, with all complaints at once.
func (d DCQCN) Validate() error {
	var bad complaints
	bad.between("gain", int64(d.Gain), 0, 1<<20)
	for _, t := range []struct {
		name string
		time unit.Time
	}{{"alpha_timer", d.AlphaTimer}, {"timer", d.Timer}, {"cnp_interval", d.CNPInterval}} {
		if t.time != 0 {
			bad.between(t.name+" in ps", int64(t.time), int64(unit.Microsecond), int64(unit.Second))
		}
	}
	bad.between("byte_counter", int64(d.ByteCounter), 0, 1<<40)
	bad.between("recovery", int64(d.Recovery), 0, 100)
	for _, r := range []struct {
		name string
		rate unit.BitRate
	}{{"increase", d.Increase}, {"hyper", d.Hyper}, {"least", d.Least}} {
		if r.rate != 0 {
			bad.between(r.name+" in bit/s", int64(r.rate), int64(unit.Mbps), int64(unit.Tbps))
		}
	}
	bad.add("cnp", d.CNP.Validate())
	bad.between("cnp_frame in bytes", int64(d.CNPFrame), 0, maxFrame)
	return errors.Join(bad...)
}

// filled replaces zeros with the defaults.
func (d DCQCN) filled() DCQCN {
	put(&d.Gain, 256)
	put(&d.AlphaTimer, 55*unit.Microsecond)
	put(&d.Timer, 55*unit.Microsecond)
	put(&d.ByteCounter, 10_000_000)
	put(&d.Recovery, 5)
	put(&d.Increase, 40*unit.Mbps)
	put(&d.Hyper, 200*unit.Mbps)
	put(&d.Least, 100*unit.Mbps)
	put(&d.CNPInterval, 50*unit.Microsecond)
	put(&d.CNPFrame, d.CNP.answer(cnpBytes))
	return d
}

// put stores a default where there is no value.
func put[T comparable](to *T, v T) {
	var zero T
	if *to == zero {
		*to = v
	}
}

// parameters returns those of the reaction point. The defaults must be filled in.
func (d DCQCN) parameters() dcqcn.Parameters {
	return dcqcn.Parameters{Gain: d.Gain, AlphaTimer: d.AlphaTimer, Timer: d.Timer, ByteCounter: d.ByteCounter,
		Recovery: d.Recovery, Increase: d.Increase, Hyper: d.Hyper, Least: d.Least}
}

// notify answers a marked frame with a CNP: at once if the last interval is
// over, or one for all marked frames at the end of the interval.
func (s *part) notify(n int32, x *sender) {
	if !x.rate.On() {
		return
	}
	send, timer := x.notifier.Marked(s.Now)
	if send {
		s.sendCNP(x)
	} else if timer > 0 {
		s.Set(s.senderSource(n, onWindow), timer)
	}
}

// sendCNP sends a CNP and begins an interval.
func (s *part) sendCNP(x *sender) {
	x.notifier.Send(s.Now)
	s.queueFeedback(x.flow, packet.CNP, &x.cnpClass, x.cnpBytes, 0)
}

// FlowRate returns the rate at which a flow may send now: the rate of DCQCN,
// the flow's limit, or the rate of the host's link.
func (s *Sim) FlowRate(i int) unit.BitRate {
	fl := &s.flows[i]
	if fl.sender >= 0 && s.senders[fl.sender].rate.On() {
		return s.senders[fl.sender].rate.At(s.now)
	}
	if fl.paced {
		return unit.BitRate(fl.rate)
	}
	return s.ports[fl.from].rate
}
