// Package dcbx reads and writes what the two ends of a link tell each other about lossless traffic: LLDP with the TLVs
// of DCBX, the data center bridging exchange protocol. It also has the state machines by which the ends agree.
//
// LLDP (IEEE 802.1AB) is one frame that a port sends to its neighbour every 30 seconds. It has no answer. The frame is
// a list of TLVs: type, length, value. [Decode] reads the list as a [PDU], and keeps every TLV byte for byte, known or
// not. The first three name the chassis and the port, and say for how long the neighbour may use the information.
//
// DCBX puts the configuration of PFC and of the bandwidths (ETS) into TLVs of type 127, which begin with the number of
// the organisation that defines them (OUI). [Read] finds them:
//
//   - IEEE 802.1Qaz, now in 802.1Q: OUI 00-80-C2, subtypes 9 ([ETSConfiguration]), 10 ([ETSRecommendation]), 11 ([PFC])
//     and 12 ([Application]).
//   - CEE, DCBX 1.01: OUI 00-1B-21, subtype 2, one TLV with TLVs inside: [Control], [PriorityGroups], [CEEPFC] and
//     [CEEApplication].
//   - CIN, DCBX 1.0, before both: the same OUI, subtype 1. It is recognised, and its control and PFC are read.
//
// A port that is willing takes over what its neighbour sends. An [Agent] is one port: it sends frames, receives those
// of the neighbour, and says what is in force at the port, and why. Time is an argument:
//
//	a, err := dcbx.NewAgent(settings)
//	a.Receive(now, &frame)
//	in := a.Operational()
//
// Rules of negotiation. ETS is asymmetric: each direction has its own, and a willing port uses what the neighbour
// recommends. PFC is symmetric: both ends need the same priorities. If one end is willing, the other's hold; if both
// are, the port with the lower address takes over the other's; if none is, each keeps its own. CEE numbers its messages
// and acknowledges them, and turns a feature off where the ends disagree. More than one neighbour on a link, or a
// neighbour of another version, means no DCBX: each end keeps its own configuration.
//
// Sources: the layouts are those of IEEE 802.1Q-2018 annex D as three public programs have them, which agree: lldpad
// 1.1 (lldp_8021qaz.h, tlv_dcbx.h), Wireshark (packet-lldp.c), and, for the numbers, Linux (linux/dcbnl.h). The state
// machines are those of lldpad (lldp_8021qaz.c, dcb_protocol.c); the text of the standard and of DCBX 1.01 could not be
// read here, so what follows from lldpad alone is inferred, above all which of two willing ports takes over. The tests
// in the module interop have a port of this package negotiate with lldpad, by IEEE and by CEE: it ends there as here.
//
// Not here: congestion notification (802.1Qau), the application VLAN (802.1Qcd), and congestion isolation and topology
// recognition (802.1Qcz) survive as unknown TLVs. Of the last, a published YANG module (ieee802-dot1q-lldp-tr-tlv) has
// the fields and their values, and neither subtype nor layout; for 802.1Qdt no text is published. LLDP's credit for
// sending (txCredit) is not modelled.
package dcbx
