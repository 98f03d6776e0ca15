package cbfc

import (
	"fmt"

	"github.com/cellwarden/cellwarden/pg"
)

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
