package cbfc

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
)

// ShareMode is how a virtual channel uses the shared credits of its pool (SAI_CBFC_CREDIT_PROFILE_THRESHOLD_MODE).
type ShareMode int

// The modes.
const (
	ReservedOnly ShareMode = iota // none: no shared credits
	UpTo                          // static: at most a number of them; 0: no limit
	Dynamic                       // at most 2^n times those that nobody uses
)

// Profile is the credits of one virtual channel (SAI_CBFC_CREDIT_PROFILE): the
// shape of PG-min with a static or dynamic threshold.
type Profile struct {
	Reserved Credits
	Mode     ShareMode
	Most     Credits // with UpTo; 0: no limit
	N        int     // with Dynamic: 2^N
}

// Bounds of N: those of alpha in SONiC's profiles, which SAI's type sai_int8 exceeds by far.
const (
	LeastN = -8
	MostN  = 8
)

// Pool is the credits of a port, or of some of its virtual channels
// (SAI_CBFC_CREDIT_POOL). What no profile reserves is shared.
type Pool struct {
	Size     Credits
	Profiles []Profile
}

// Validate refuses a pool that SAI cannot express, or that is too small for what is reserved.
func (p *Pool) Validate() error {
	var bad fielderr.List
	bad.Within("size in credits", int64(p.Size), 0, int64(MaxLimit))
	bad.Within("virtual channels", int64(len(p.Profiles)), 0, MaxChannels)
	for i, c := range p.Profiles {
		path := fmt.Sprintf("channel %d: ", i)
		bad.Within(path+"reserved credits", int64(c.Reserved), 0, int64(MaxLimit))
		bad.Within(path+"shared credits at most", int64(c.Most), 0, int64(MaxLimit))
		bad.Within(path+"n of 2^n", int64(c.N), LeastN, MostN)
		bad.Check(c.Mode >= ReservedOnly && c.Mode <= Dynamic, path+"mode", int(c.Mode), "none, static, dynamic")
	}
	if len(bad) == 0 && p.Shared() < 0 {
		bad.Addf("%d credits are reserved in a pool of %d", p.Size-p.Shared(), p.Size)
	}
	return bad.Err()
}

// Shared returns the credits that no profile reserves.
func (p *Pool) Shared() Credits {
	n := p.Size
	for _, c := range p.Profiles {
		n -= c.Reserved
	}
	return n
}

// used returns the shared credits in use.
func (p *Pool) used(inUse []Credits) (n Credits) {
	for i, c := range p.Profiles {
		n += max(0, inUse[i]-c.Reserved)
	}
	return n
}

// May tells whether a channel may send a packet of n credits, when the channels have these credits in use. It takes its
// reserved credits first. A dynamic threshold is 2^n times the shared credits that are free before the packet
// (inferred: SAI does not say before or after).
func (p *Pool) May(channel int, n Credits, inUse []Credits) bool {
	c := &p.Profiles[channel]
	shared := inUse[channel] + n - c.Reserved
	if shared <= 0 {
		return true
	}
	free := p.Shared() - p.used(inUse)
	if shared-max(0, inUse[channel]-c.Reserved) > free {
		return false
	}
	switch c.Mode {
	case UpTo:
		return c.Most == 0 || shared <= c.Most
	case Dynamic:
		if c.N >= 0 {
			return shared <= free<<c.N
		}
		return shared <= free>>-c.N
	default:
		return false
	}
}

// Most returns the most credits that a channel can have in use, if it alone is busy: what its buffer may have to hold.
// A dynamic threshold is compared before the packet, so the last packet may pass what [Pool.Alone] says, at most to all
// shared credits.
func (p *Pool) Most(channel int) Credits {
	return p.bound(channel, func(n int, shared Credits) Credits {
		if n < 0 {
			return shared >> -n
		}
		return min(shared, shared<<n)
	})
}

// Alone returns how many credits a channel surely gets while no other channel uses shared credits: with fewer than the
// link needs, the link is slower. A dynamic threshold stops at the largest s with s <= 2^n (shared - s), which is
// shared x 2^n / (1 + 2^n), rounded down.
func (p *Pool) Alone(channel int) Credits {
	return p.bound(channel, func(n int, shared Credits) Credits {
		if n < 0 {
			return shared / (1 + 1<<-n)
		}
		return shared << n / (1 + 1<<n)
	})
}

// bound adds what a channel has reserved and what it may have of the shared credits; dynamic says the latter for a
// threshold of 2^n.
func (p *Pool) bound(channel int, dynamic func(n int, shared Credits) Credits) Credits {
	c, shared := &p.Profiles[channel], p.Shared()
	switch {
	case c.Mode == ReservedOnly:
		shared = 0
	case c.Mode == UpTo && c.Most > 0:
		shared = min(shared, c.Most)
	case c.Mode == Dynamic:
		shared = dynamic(c.N, shared)
	}
	return c.Reserved + shared
}

// A switch derives the virtual channel of a packet from its traffic class: the receiver by a map from traffic class to
// channel (SAI_QOS_MAP_TYPE_TC_TO_VC), the sender by one from egress queue to channel (SAI_QOS_MAP_TYPE_QUEUE_TO_VC).
// Several traffic classes may be in one channel. So a channel is neither a priority nor a priority group: PFC has eight
// of these, and a port has up to 32 channels.

// MaxTraffic is the number of traffic classes: no more can be told apart, because a packet has one of 64 DSCPs. SAI's
// type for them has 8 bits (sai_cos_t); what a switch has is fewer (inferred).
const MaxTraffic = 64

// Assignment is one entry of the map: packets of this traffic class are in this channel.
type Assignment struct {
	Traffic int // traffic class; 0 to 7 are the priorities of PFC
	Channel int // 0 to 31
}

// TrafficClasses is a set of traffic classes: bit i is traffic class i.
type TrafficClasses uint64

// Traffic makes the set of these traffic classes; one that no packet can have panics.
func Traffic(classes ...int) (s TrafficClasses) {
	for _, c := range classes {
		if c < 0 || c >= MaxTraffic {
			panic(fmt.Sprintf("cbfc: traffic class %d of at most %d", c, MaxTraffic))
		}
		s |= 1 << c
	}
	return s
}

// List returns the traffic classes, ascending.
func (s TrafficClasses) List() []int { return append([]int{}, pg.CodePoints(s).List()...) }

// String prints "3,8-11"; "none" for the empty set.
func (s TrafficClasses) String() string { return pg.CodePoints(s).String() }
