package internal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
)

// Two lldpads 1.1 on a virtual link: one is willing and takes over the priorities of the other, and then two that are
// not willing. Their frames survive reading and writing byte for byte.
func TestObservedCapturesOfLLDPAD(t *testing.T) {
	for name, want := range map[string][2]pfc.Priorities{
		"lldpad.pcap": {pfc.Of(3, 4), pfc.Of(3, 4)}, "lldpad-differ.pcap": {pfc.Of(5), pfc.Of(3, 4)},
	} {
		h := observedRead(t, name)
		for i := range h.Senders {
			s := &h.Senders[i]
			ad := dcbx.Read(&s.PDU)
			require.Empty(t, ad.Unusable)
			require.Equal(t, want[i], ad.PFC.Enabled, name)
			require.EqualValues(t, 8, ad.PFC.Capability)
			require.EqualValues(t, 8, ad.ETS.MaxTCs)
		}
	}
}
