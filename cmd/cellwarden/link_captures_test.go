package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What link says of captures of other programs, which dcbx/observed/testdata/README.md describes: the ends of lldpd
// differ in PFC and in the longest frame; CEE turned PFC off where no end of lldpad is willing, and did not where one is.
func TestLinkOfCaptures(t *testing.T) {
	for name, x := range map[string]struct {
		code int
		want []string
	}{
		"lldpd.pcap": {exitLint, []string{"DIFFER: 1 error, 1 warning on 1 link", "error     pfc-priorities  02-00",
			"warning   mtu             02-00-00-00-00-0a eth0 has frames of up to 9216B, 02-00-00-00-00-0b eth0 of up to 1518B"}},
		"lldpad.pcap":            {0, []string{"SAME as far as compared", "IEEE 802.1Qaz  3,4, the other end's"}},
		"lldpad-cee.pcap":        {0, []string{"SAME as far as compared", "CEE (DCBX 1.01)  3,4, the other end's"}},
		"lldpad-cee-differ.pcap": {exitLint, []string{"DIFFER: 1 error, 0 warnings on 1 link", "error     pfc-off  02-00"}},
	} {
		code, out, bad := cellwarden(t, "link", "--pcap", filepath.Join("..", "..", "dcbx", "observed", "testdata", name))
		require.Equal(t, x.code, code, "%s: %s", name, bad)
		for _, want := range x.want {
			require.Contains(t, out, want, name)
		}
	}
}
