package dcbx

import (
	"bytes"
	"errors"
	"slices"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Reason says why a value is in force at a port.
type Reason string

// The reasons.
const (
	noPeer         Reason = "no neighbour is known"
	severalPeers   Reason = "there are several neighbours on the link: DCBX needs one"
	otherVersion   Reason = "the neighbour speaks another version of DCBX"
	notSent        Reason = "the neighbour does not send it"
	leftOut        Reason = "the port does not send it"
	notWilling     Reason = "the port is not willing"
	peerWilling    Reason = "the neighbour is willing and the port is not"
	peerDecides    Reason = "the port is willing and the neighbour is not"
	recommended    Reason = "the port is willing and the neighbour recommends it"
	unsupported    Reason = "the port is willing and cannot have the shares of the neighbour: it keeps its own"
	lowerAddress   Reason = "both ends are willing, and the port has the lower address: it takes over the neighbour's"
	higherAddress  Reason = "both ends are willing, and the port has the higher address: it keeps its own"
	sameAddress    Reason = "both ends are willing and have the same address: the port keeps its own"
	bothSame       Reason = "both ends have the same"
	bothDiffer     Reason = "the ends differ, and willing is the same at both: CEE turns it off"
	disabled       Reason = "it is disabled at one end"
	peerError      Reason = "the neighbour reports an error"
	notSynced      Reason = "the neighbour has not acknowledged the port's configuration"
	versionPending Reason = "the ends have not agreed on a version"
)

// PeerState says how many neighbours a port has.
type PeerState uint8

// The states.
const (
	None PeerState = iota
	One
	Several
)

// String prints the state.
func (s PeerState) String() string { return [...]string{"none", "one", "several"}[s] }

// InForce is what is in force of one feature at a port, and why.
type InForce struct {
	// Active is false where CEE turned the feature off. IEEE turns nothing off.
	Active   bool
	FromPeer bool // the values are the neighbour's
	Reason   Reason
}

// Operational is what is in force at a port.
type Operational struct {
	Peers   PeerState
	Version Version // of DCBX, that the port uses now
	PFC     InForce
	// Enabled are the priorities with PFC; none where PFC is not active.
	Enabled pfc.Priorities
	ETS     InForce
	Table   Table // the traffic classes; where ETS is not active, the port's own
}

// ErrIgnored is the error of a frame that an agent does not use.
var ErrIgnored = errors.New("frame ignored")

// maxPeers is more neighbours than an agent has to tell apart: with two, there is no DCBX.
const maxPeers = 8

// peer is one neighbour that was heard.
type peer struct {
	name    Neighbour
	address pfc.Address
	expires unit.Time
	ad      Advertisement
}

// Agent is the DCBX of one port. Times given to it do not decrease.
type Agent struct {
	s     Settings
	peers []peer
	in    Operational
	cee   ceeMachine

	now      unit.Time // of the last event
	nextSend unit.Time
	fast     int // frames that are still sent in short intervals
}

// NewAgent returns the agent of a port that comes up at time 0. It refuses settings that are not valid.
func NewAgent(s Settings) (*Agent, error) {
	a := &Agent{}
	return a, a.Set(0, s)
}

// Set changes the settings, and has the port send them at once.
func (a *Agent) Set(now unit.Time, s Settings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	a.s, a.now, a.nextSend = s, now, now
	a.s.More = slices.Clone(s.More)
	a.cee.localChange(s.cee())
	a.decide(false)
	return nil
}

// Operational returns what is in force at the port.
func (a *Agent) Operational() Operational { return a.in }

// Receive uses a frame that the port received. It returns whether what is in force changed. The error wraps
// [ErrIgnored] or [ErrMalformed] and says why a frame was not used.
func (a *Agent) Receive(now unit.Time, f *Frame) (changed bool, err error) {
	changed = a.Expire(now)
	if err := f.PDU.Validate(); err != nil {
		return changed, err
	}
	if f.Destination != NearestBridge {
		return changed, errors.Join(ErrIgnored, &malformed{"the destination", f.Destination.String(),
			NearestBridge.String() + ", the group that DCBX uses"})
	}
	name, ttl := f.PDU.Sender(), f.PDU.TimeToLive()
	i := slices.IndexFunc(a.peers, func(p peer) bool { return p.name == name })
	switch {
	case ttl == 0: // the neighbour goes down
		if i >= 0 {
			a.peers = slices.Delete(a.peers, i, i+1)
		}
		return a.decide(false) || changed, nil
	case i < 0 && len(a.peers) == maxPeers: // the last place belongs to whichever was heard last
		i = maxPeers - 1
	case i < 0:
		i, a.peers = len(a.peers), append(a.peers, peer{})
		a.fast, a.nextSend = fastFrames, now // 802.1AB: a new neighbour learns of the port soon
	}
	a.peers[i] = peer{name, f.Source, now + ttl, Read(&f.PDU)}
	return a.decide(true) || changed, nil
}

// NextExpiry returns when the information of a neighbour ends; false if none is known.
func (a *Agent) NextExpiry() (unit.Time, bool) {
	if len(a.peers) == 0 {
		return 0, false
	}
	first := slices.MinFunc(a.peers, func(x, y peer) int { return int(min(max(x.expires-y.expires, -1), 1)) })
	return first.expires, true
}

// Expire forgets neighbours whose time to live is over. It returns whether what is in force changed.
func (a *Agent) Expire(now unit.Time) bool {
	n := len(a.peers)
	a.now = now
	a.peers = slices.DeleteFunc(a.peers, func(p peer) bool { return p.expires <= now })
	return n != len(a.peers) && a.decide(false)
}

// NextSend returns when the port sends its next frame.
func (a *Agent) NextSend() unit.Time { return a.nextSend }

// Send returns the frame that the port sends now, and plans the next one.
func (a *Agent) Send(now unit.Time) (Frame, error) {
	a.nextSend = now + interval
	if a.fast > 0 {
		a.fast--
		a.nextSend = now + FastInterval
	}
	f := Frame{Destination: NearestBridge, Source: a.s.Address}
	var err error
	f.PDU, err = a.s.pdu(a.in.Version, a.in.Table, a.in.Enabled, a.cee.message())
	return f, err
}

// version returns the version that the port uses with its one neighbour.
func (a *Agent) version() Version {
	switch {
	case a.s.Mode == OnlyCEE:
		return CEEVersion
	case a.s.Mode == Automatic && len(a.peers) == 1 && a.peers[0].ad.Version() == CEEVersion:
		return CEEVersion
	}
	return IEEEVersion
}

// decide runs the state machines. received says that the one neighbour's frame is new. A change of what is in force is
// sent at once: the neighbour has to see it.
func (a *Agent) decide(received bool) (changed bool) {
	before := a.in
	own := InForce{Active: true}
	a.in = Operational{Peers: PeerState(min(len(a.peers), 2)), Version: a.version(), PFC: own, Enabled: a.s.PFC.Enabled,
		ETS: own, Table: a.s.ETS.Table}
	if a.in.Version != before.Version || len(a.peers) == 0 {
		a.cee.reset()
	}
	var ad *Advertisement
	why := map[PeerState]Reason{None: noPeer, Several: severalPeers}[a.in.Peers]
	if len(a.peers) == 1 {
		if ad = &a.peers[0].ad; ad.Version() != a.in.Version && ad.Version() != NoVersion {
			ad, why = nil, otherVersion
		}
	}
	switch {
	case a.in.Version == CEEVersion:
		if a.cee.run(ad, why, received) {
			a.nextSend = a.now
		}
		a.useCEE(ad)
	case ad == nil:
		a.in.PFC.Reason, a.in.ETS.Reason = why, why
	default:
		a.decideETS(ad)
		a.decidePFC(ad, a.peers[0].address)
	}
	if a.in != before {
		a.nextSend = a.now
		return true
	}
	return false
}

// decideETS is the asymmetric state machine: a willing port uses what the neighbour recommends, and nothing else of it
// (IEEE 802.1Q-2018, 38.4.1; lldpad's ets_sm). What the port cannot have is not used: lldpad leaves that to the card.
func (a *Agent) decideETS(ad *Advertisement) {
	in := &a.in.ETS
	switch r := ad.Recommendation; {
	case !a.s.ETS.Willing:
		in.Reason = notWilling
	case r == nil:
		in.Reason = notSent
	case !a.s.supports(&r.Table):
		in.Reason = unsupported
	default:
		in.FromPeer, in.Reason, a.in.Table = true, recommended, r.Table
	}
}

// decidePFC is the symmetric state machine: both ends come to the same priorities if one of them is willing (IEEE
// 802.1Q-2018, 38.4.2; lldpad's pfc_sm).
//
// Of two willing ports, that with the numerically lower address takes over the other's priorities. This direction is
// lldpad's; the text of the standard was not available to check it. If both have the same address, lldpad's ports both
// take over, and would exchange their values for ever. Here each keeps its own.
func (a *Agent) decidePFC(ad *Advertisement, peer pfc.Address) {
	in, r := &a.in.PFC, ad.PFC
	if r == nil {
		in.Reason = notSent
		return
	}
	order := bytes.Compare(a.s.Address[:], peer[:])
	switch own := a.s.PFC.Willing; {
	case !own && r.Willing:
		in.Reason = peerWilling
	case !own:
		in.Reason = notWilling
	case !r.Willing:
		in.FromPeer, in.Reason = true, peerDecides
	case order < 0:
		in.FromPeer, in.Reason = true, lowerAddress
	case order > 0:
		in.Reason = higherAddress
	default:
		in.Reason = sameAddress
	}
	if in.FromPeer {
		a.in.Enabled = r.Enabled
	}
}
