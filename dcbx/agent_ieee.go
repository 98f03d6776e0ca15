package dcbx

import (
	"bytes"

	"github.com/cellwarden/cellwarden/pfc"
)

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
