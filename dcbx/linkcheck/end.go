package linkcheck

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// End is what is known of one end of a link. What is absent is unknown, and not none.
type End struct {
	Name string // "leaf1.yaml:Ethernet49"

	PFC unit.Optional[pfc.Priorities]
	// Credits are the priorities that are lossless by credits (CBFC).
	Credits unit.Optional[pfc.Priorities]
	// Channels are the virtual channels with credits; empty: unknown, or the end has none.
	Channels Channels
	// Account says how the end counts packets in credits; without a credit size it is unknown, or the end has no credits.
	Account cbfc.Account
	// Memory is the cell of the end, and the bytes that it stores with each packet; zero: it is not known.
	Memory thresholds.Memory

	Capability unit.Optional[int] // traffic classes that can have PFC
	Classes    unit.Optional[int] // traffic classes that the port supports
	Shares     unit.Optional[Shares]

	Trust pg.Trust   // where the priority of a frame is read
	DSCP  pg.DSCPMap // the DSCPs of each priority; none of a priority: the device's own map, which is unknown

	MaxFrame      unit.Optional[unit.Bytes] // the longest frame that the port accepts and sends
	LosslessFrame unit.Optional[unit.Bytes] // the longest frame of its lossless classes, by pauses or by credits
	// Frames are the longest frames of each lossless priority; 0: it is not lossless, or its frames are not known.
	Frames [pfc.PerLink]unit.Bytes
	Rate   unit.Optional[unit.BitRate]
	Cable  unit.Optional[unit.Length]

	Measured thresholds.Measurement // of the cable's round trip; zero: none

	// Sent is what the port sends by DCBX; nil: it is not known what, or whether.
	Sent *dcbx.Advertisement
	// Address and Port are those of the frames in Sent.
	Address pfc.Address
	Port    dcbx.Neighbour
	// Neighbours are the ports that were heard on the link, this one included. 0: it is not known how many.
	Neighbours int
}

// Shares says how the priorities share the link.
type Shares struct {
	// Of are the priorities that the port carries; of others nothing is said.
	Of pfc.Priorities
	// Group is the number of the group of each priority. Priorities of a group share what the group has.
	Group [pfc.PerLink]uint8
	// Weight is the weight of each group among those that are not strict, by the number of the group.
	Weight [pfc.PerLink]int64
	Strict [pfc.PerLink]bool // by the number of the group: it sends before all groups with weights
	// Grouped says that the groups are the configuration's own. Without it, every priority has a queue of its own, and
	// nothing says which queues belong together.
	Grouped bool
}

// FromIntent returns what a topology says of a port, by the port's index. A topology says nothing of DCBX.
func FromIntent(name string, in *buffer.Intent, i int) End {
	p := &in.Ports[i]
	e := End{Name: name, DSCP: in.DSCP, Trust: in.Trust, MaxFrame: unit.Given(p.MTU), Rate: unit.Given(p.Rate)}
	if in.DSCP != (pg.DSCPMap{}) {
		e.Trust = pg.TrustDSCP
	}
	e.Measured = p.Measured
	if !p.Delay.IsGiven() || p.Cable > 0 {
		e.Cable = unit.Given(p.Cable)
	}
	var enabled, credits pfc.Priorities
	longest, s, weighted := unit.Bytes(0), Shares{}, false
	for q := range s.Group {
		s.Group[q] = uint8(q)
	}
	for k := range in.Classes {
		c := &in.Classes[k]
		if !p.Classes.Has(k) {
			continue
		}
		switch {
		case c.CreditsOn(p):
			credits |= pfc.Of(c.Priorities...)
		case c.Lossless:
			enabled |= pfc.Of(c.Priorities...)
		}
		if c.Lossless || c.CreditsOn(p) {
			longest = max(longest, c.Frame(p))
			for _, q := range c.Priorities {
				e.Frames[q] = c.Frame(p)
			}
		}
		weighted = weighted || c.Weight > 0 || c.Strict
		s.Of |= pfc.Of(c.Priorities...)
		for _, q := range c.Priorities {
			s.Weight[q], s.Strict[q] = int64(c.Weight), c.Strict
		}
	}
	e.PFC, e.Credits = unit.Given(enabled), unit.Given(credits)
	if credits != 0 {
		// A plan has a cell for each credit, so the switch counts packets by its own cells.
		e.Memory = in.Chip.Memory()
		if has, err := in.Credits(i); err == nil { // a link that cannot be sized has channels that are not known
			e.Channels = Channels{List: has.Channels, Pool: has.Pool}
		}
		e.Account = cbfc.Native(e.Memory)
	}
	if enabled|credits != 0 {
		e.LosslessFrame = unit.Given(longest)
	}
	if both := in.Schedule(p); both != nil {
		table, of := both.Table(), s.Of
		s, weighted = sharesOf(&table), true
		s.Of = of
	}
	if weighted {
		e.Shares = unit.Given(s)
	}
	return e
}

// FromPDU returns what a port sends by LLDP.
func FromPDU(name string, source pfc.Address, p *dcbx.PDU) End {
	ad := dcbx.Read(p)
	e := End{Name: name, MaxFrame: p.MaxFrame(), Sent: &ad, Address: source, Port: p.Sender()}
	var table *dcbx.Table
	switch ad.Version() {
	case dcbx.IEEEVersion:
		if ad.PFC != nil {
			e.PFC, e.Capability = unit.Given(ad.PFC.Enabled), unit.Given(int(ad.PFC.Capability))
		}
		if ad.ETS != nil {
			e.Classes, table = unit.Given(int(ad.ETS.MaxTCs)), &ad.ETS.Table
		}
	case dcbx.CEEVersion:
		if f := ad.CEE.PFC; f != nil {
			e.PFC, e.Capability = unit.Given(enabled(&f.Feature, f.Priorities)), unit.Given(int(f.Classes))
		}
		if g := ad.CEE.Groups; g != nil {
			e.Classes = unit.Given(int(g.Classes))
			if t, err := g.Table(); err == nil {
				table = &t
			}
		}
	case dcbx.CINVersion:
		if f := ad.CIN.PFC; f != nil {
			e.PFC = unit.Given(enabled(f, ad.CIN.Priorities))
		}
	}
	if table != nil && table.Validate() == nil {
		e.Shares = unit.Given(sharesOf(table))
	}
	return e
}

// enabled returns the priorities of a feature; none if the feature is off.
func enabled(f *dcbx.Feature, p pfc.Priorities) pfc.Priorities {
	if !f.Enabled {
		return 0
	}
	return p
}

// sharesOf returns the shares of a table of traffic classes. A class that is neither strict nor ETS is taken as strict:
// it sends before those with a bandwidth (802.1Q, 8.6.8).
func sharesOf(t *dcbx.Table) Shares {
	s := Shares{Of: pfc.All, Group: t.Class, Grouped: true}
	for c, how := range t.Selection {
		if s.Strict[c] = how != dcbx.Enhanced; !s.Strict[c] {
			s.Weight[c] = int64(t.Bandwidth[c])
		}
	}
	return s
}

// Willing tells whether the port takes over PFC, and bandwidths, of its neighbour; absent where it is not known.
func (e *End) Willing() (flow, bandwidths unit.Optional[bool]) {
	switch {
	case e.Sent == nil:
	case e.Sent.Version() == dcbx.IEEEVersion:
		if x := e.Sent.PFC; x != nil {
			flow = unit.Given(x.Willing)
		}
		if x := e.Sent.ETS; x != nil {
			bandwidths = unit.Given(x.Willing)
		}
	case e.Sent.Version() == dcbx.CEEVersion:
		if x := e.Sent.CEE.PFC; x != nil {
			flow = unit.Given(x.Willing)
		}
		if x := e.Sent.CEE.Groups; x != nil {
			bandwidths = unit.Given(x.Willing)
		}
	}
	return flow, bandwidths
}

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
