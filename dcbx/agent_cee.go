package dcbx

import "slices"

// ceeFeature is the state machine of one feature of CEE (DCBX 1.01; lldpad's run_feature_protocol).
type ceeFeature struct {
	own    Feature // what the port sends; Error is decided here
	synced bool    // the neighbour has acknowledged what the port sends, or the port need not send it
	number uint32  // the sequence number under which the port sends its present state
	in     State
}

// setError changes what the port says of the feature. A change has to be sent and acknowledged.
func (f *ceeFeature) setError(is bool, c *ceeMachine) {
	if f.synced = f.own.Error == is; !f.synced {
		f.number = c.own.Sequence + 1
	}
	f.own.Error = is
}

// run decides about the feature. ad is the neighbour's part; nil without one. same tells whether the ends have the same
// values, as far as they need to.
func (f *ceeFeature) run(c *ceeMachine, acknowledged uint32, ad *Feature, same func() bool) {
	if ad == nil {
		f.in = State{Reason: notSent}
		f.own.Error, f.synced = true, true
		return
	}
	if !f.synced && acknowledged != f.number { // until then, what was in force before stays
		f.in.Reason = notSynced
		return
	}
	f.in = State{}
	switch {
	case !f.own.Enabled || !ad.Enabled:
		f.in.Reason = disabled
		f.setError(false, c)
		return
	case f.own.Willing && !ad.Willing:
		f.in = State{FromPeer: true, Reason: peerDecides}
	case !f.own.Willing && ad.Willing:
		f.in.Reason = peerWilling
	case same():
		f.in.Reason = bothSame
	default:
		f.in.Reason = bothDiffer
		f.setError(true, c)
		return
	}
	f.setError(false, c)
	if f.in.Active = !ad.Error; ad.Error {
		f.in.FromPeer, f.in.Reason = false, peerError
	}
}

// The features of CEE, by their place in a ceeMachine.
const (
	ceeFeatureGroups = iota
	ceeFeaturePFC
	ceeFeatureApplication
	ceeFeatures
)

// ceeMachine is the control state machine of CEE and its features (lldpad's run_control_protocol). Sequence numbers
// begin at 0, and the first message has 1.
type ceeMachine struct {
	settings CEE
	own      Control
	mine     uint32 // the number of the port's configuration that the neighbour acknowledged last
	features [ceeFeatures]ceeFeature
}

// localChange takes new settings, which the neighbour has to acknowledge.
func (c *ceeMachine) localChange(s CEE) {
	c.settings = s
	c.start()
}

// reset begins anew, as with a neighbour that is new.
func (c *ceeMachine) reset() {
	*c = ceeMachine{settings: c.settings}
	c.start()
}

// start has all features sent under the next number.
func (c *ceeMachine) start() {
	own := [ceeFeatures]*Feature{}
	own[ceeFeaturePFC] = &c.settings.PFC.Feature
	if c.settings.Groups != nil {
		own[ceeFeatureGroups] = &c.settings.Groups.Feature
	}
	if c.settings.Application != nil {
		own[ceeFeatureApplication] = &c.settings.Application.Feature
	}
	for i := range c.features {
		f := &c.features[i]
		if f.synced = own[i] == nil; !f.synced {
			inError := f.own.Error
			f.own, f.number = *own[i], c.own.Sequence+1
			f.own.Error = inError
		}
	}
	c.next()
}

// next begins a new message if there is something to send and the last one was acknowledged.
func (c *ceeMachine) next() bool {
	waiting := slices.ContainsFunc(c.features[:], func(f ceeFeature) bool { return !f.synced })
	if !waiting || c.own.Sequence != c.mine {
		return false
	}
	c.own.Sequence++
	return true
}

// run decides about all features after an event, and returns whether the port has to send. why is set if ad is nil.
func (c *ceeMachine) run(ad *Advertisement, why Reason, received bool) (send bool) {
	if ad == nil || ad.CEE == nil || ad.CEE.Control == nil {
		if why == "" {
			why = notSent
		}
		for i := range c.features {
			c.features[i].in = State{Reason: why}
		}
		return false
	}
	peer := ad.CEE.Control
	if peer.OperVersion != 0 { // this package has version 0 alone, as lldpad: a neighbour with more comes down to it
		for i := range c.features {
			c.features[i].in = State{Reason: versionPending}
		}
		return received
	}
	x, s := ad.CEE, &c.settings
	anyway := func() bool { return true } // bandwidths are of one direction: the ends may differ
	if s.Groups != nil {
		c.features[ceeFeatureGroups].run(c, peer.Acknowledged, feature(x.Groups != nil, func() *Feature {
			return &x.Groups.Feature
		}), anyway)
	} else {
		c.features[ceeFeatureGroups].in = State{Reason: leftOut}
	}
	c.features[ceeFeaturePFC].run(c, peer.Acknowledged, feature(x.PFC != nil, func() *Feature { return &x.PFC.Feature }),
		func() bool { return x.PFC.Priorities == s.PFC.Priorities })
	if s.Application != nil {
		c.features[ceeFeatureApplication].run(c, peer.Acknowledged, feature(x.Application != nil, func() *Feature {
			return &x.Application.Feature
		}), func() bool { return slices.Equal(x.Application.Assignments, s.Application.Assignments) })
	}
	c.mine = peer.Acknowledged
	if received && (c.own.Acknowledged != peer.Sequence || c.mine == 0) {
		c.own.Acknowledged = peer.Sequence
		send = true
	}
	return c.next() || send
}

// feature returns a part of what the neighbour sent, if it is there.
func feature(there bool, of func() *Feature) *Feature {
	if !there {
		return nil
	}
	return of()
}

// message returns what the port sends now.
func (c *ceeMachine) message() CEE {
	out := c.settings
	control := c.own
	out.Control = &control
	if out.Groups != nil {
		g := *out.Groups
		g.Feature = c.features[ceeFeatureGroups].own
		out.Groups = &g
	}
	if out.PFC != nil {
		p := *out.PFC
		p.Feature = c.features[ceeFeaturePFC].own
		out.PFC = &p
	}
	if out.Application != nil {
		a := *out.Application
		a.Feature = c.features[ceeFeatureApplication].own
		out.Application = &a
	}
	return out
}

// useCEE puts what the machine decided in force. PFC that is not active pauses nothing; the bandwidths stay the port's
// own where groups are not active.
func (a *Agent) useCEE(ad *Advertisement) {
	groups, flow := a.cee.features[ceeFeatureGroups].in, a.cee.features[ceeFeaturePFC].in
	if groups.FromPeer {
		t, err := ad.CEE.Groups.Table()
		if err != nil || !a.s.supports(&t) {
			groups = State{Reason: unsupported}
		} else {
			a.in.Table = t
		}
	}
	switch {
	case !flow.Active:
		a.in.Enabled = 0
	case flow.FromPeer:
		a.in.Enabled = ad.CEE.PFC.Priorities
	}
	a.in.ETS, a.in.PFC = groups, flow
}
