package linkcheck

import (
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Settled is what is in force at both ends after they have negotiated.
type Settled struct{ A, B dcbx.Operational }

// settle has two ports exchange frames by the rules of package dcbx until nothing changes. It returns nil if one of the
// ends does not send DCBX of a version that is modelled.
func settle(a, b *End) *Settled {
	one, first := agent(a)
	two, second := agent(b)
	if !first || !second {
		return nil
	}
	// Longer than any negotiation takes: a message follows another at once, and neighbours are not forgotten meanwhile.
	for now := unit.Time(0); now < 10*dcbx.FastInterval; now += dcbx.FastInterval / 4 {
		exchange(now, one, two)
		exchange(now, two, one)
	}
	return &Settled{one.Operational(), two.Operational()}
}

// exchange has a port send a frame to another. A frame that cannot be made or used is not exchanged.
func exchange(now unit.Time, from, to *dcbx.Agent) {
	if f, err := from.Send(now); err == nil {
		_, _ = to.Receive(now, &f)
	}
}

// agent returns a port with the configuration that an end sends, or false if no machine models it.
func agent(e *End) (*dcbx.Agent, bool) {
	if e.Sent == nil {
		return nil, false
	}
	s := dcbx.Settings{Address: e.Address, Name: e.Port, ETS: dcbx.ETSConfiguration{MaxTCs: dcbx.MaxClasses}}
	flow, bandwidths := e.Willing()
	switch e.Sent.Version() {
	case dcbx.IEEEVersion:
		s.Mode, s.Recommendation = dcbx.OnlyIEEE, e.Sent.Recommendation
		if x := e.Sent.ETS; x != nil && x.Validate() == nil {
			s.ETS.Table, s.ETS.CreditBased = x.Table, x.CreditBased
		}
		if s.Recommendation != nil && s.Recommendation.Validate() != nil {
			s.Recommendation = nil
		}
	case dcbx.CEEVersion:
		s.Mode = dcbx.OnlyCEE
		if g := e.Sent.CEE.Groups; g != nil {
			if t, err := g.Table(); err == nil && t.Validate() == nil {
				s.ETS.Table = t
			}
		}
	default:
		return nil, false
	}
	// Whether the end can have so much PFC is a finding of its own, and not a matter of the negotiation.
	s.PFC = dcbx.PFC{Willing: flow.Or(false), Capability: dcbx.MaxClasses, Enabled: e.PFC.Or(0)}
	s.ETS.Willing = bandwidths.Or(false)
	a, err := dcbx.NewAgent(s)
	return a, err == nil
}

// inForce returns the PFC of both ends: what they negotiated, or what they are configured with.
func (r *Result) inForce(a, b *End) (x, y pfc.Priorities) {
	if r.Settled != nil {
		return r.Settled.A.Enabled, r.Settled.B.Enabled
	}
	return a.PFC.Or(0), b.PFC.Or(0)
}
