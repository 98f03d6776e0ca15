package dcbx

import (
	"cmp"
	"slices"
)

// ceeFeature is the state machine of one feature of CEE (DCBX 1.01; lldpad's run_feature_protocol).
type ceeFeature struct {
	own    Feature // what the port sends; Error is decided here
	synced bool    // the neighbour has acknowledged what the port sends, or the port need not send it
	number uint32  // the sequence number under which the port sends its present state
	in     InForce
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
		f.in = InForce{Reason: notSent}
		f.own.Error, f.synced = true, true
		return
	}
	if !f.synced && acknowledged != f.number { // until then, what was in force before stays
		f.in.Reason = notSynced
		return
	}
	f.in = InForce{}
	switch {
	case !f.own.Enabled || !ad.Enabled:
		f.in.Reason = disabled
		f.setError(false, c)
		return
	case f.own.Willing && !ad.Willing:
		f.in = InForce{FromPeer: true, Reason: peerDecides}
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
	for i, own := range c.settings.features() {
		f := &c.features[i]
		if f.synced = own == nil; !f.synced {
			inError := f.own.Error
			f.own, f.number = *own, c.own.Sequence+1
			f.own.Error = inError
		}
	}
	c.next()
}

// features are the parts of a message by their places in a ceeMachine; nil: it does not have the part.
func (c *CEE) features() (out [ceeFeatures]*Feature) {
	if c.Groups != nil {
		out[ceeFeatureGroups] = &c.Groups.Feature
	}
	if c.PFC != nil {
		out[ceeFeaturePFC] = &c.PFC.Feature
	}
	if c.Application != nil {
		out[ceeFeatureApplication] = &c.Application.Feature
	}
	return out
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
		c.stay(cmp.Or(why, notSent))
		return false
	}
	peer := ad.CEE.Control
	if peer.OperVersion != 0 { // this package has version 0 alone, as lldpad: a neighbour with more comes down to it
		c.stay(versionPending)
		return received
	}
	x, s := ad.CEE, &c.settings
	same := [ceeFeatures]func() bool{
		ceeFeatureGroups:      func() bool { return true }, // bandwidths are of one direction: the ends may differ
		ceeFeaturePFC:         func() bool { return x.PFC.Priorities == s.PFC.Priorities },
		ceeFeatureApplication: func() bool { return slices.Equal(x.Application.Assignments, s.Application.Assignments) },
	}
	theirs := x.features()
	for i, own := range s.features() {
		if own == nil {
			c.features[i].in = InForce{Reason: leftOut}
		} else {
			c.features[i].run(c, peer.Acknowledged, theirs[i], same[i])
		}
	}
	c.mine = peer.Acknowledged
	if received && (c.own.Acknowledged != peer.Sequence || c.mine == 0) {
		c.own.Acknowledged = peer.Sequence
		send = true
	}
	return c.next() || send
}

// stay has no feature decided about.
func (c *ceeMachine) stay(why Reason) {
	for i := range c.features {
		c.features[i].in = InForce{Reason: why}
	}
}

// message returns what the port sends now, which holds until the next event: the settings with what was decided.
func (c *ceeMachine) message() *CEE {
	for i, f := range c.settings.features() {
		if f != nil {
			*f = c.features[i].own
		}
	}
	c.settings.Control = &c.own
	return &c.settings
}

// useCEE puts what the machine decided in force. PFC that is not active pauses nothing; the bandwidths stay the port's
// own where groups are not active.
func (a *Agent) useCEE(ad *Advertisement) {
	groups, flow := a.cee.features[ceeFeatureGroups].in, a.cee.features[ceeFeaturePFC].in
	if groups.FromPeer {
		t, err := ad.CEE.Groups.Table()
		if err != nil || !a.s.supports(&t) {
			groups = InForce{Reason: unsupported}
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
