package scenario

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// hostKeys are the keys of a host.
var hostKeys = []string{"pfc", "link_pause", "response", "committed", "dcbx"}

// hostKeys reads the settings of all hosts, and then those of single hosts,
// which replace them. A host without any keys has no PFC, obeys no pause, and so needs no response time.
func (r *reader) hostKeys(all, some *document.Value) {
	f := all.Fields(hostKeys...)
	for i := range r.s.Network.Hosts {
		r.hostOf(f, i)
	}
	for _, v := range some.Items() {
		f := v.Fields(append([]string{"name"}, hostKeys...)...)
		v.Need(f, "name")
		if i := lookup(f["name"], r.hosts, "hosts"); i >= 0 {
			r.hostOf(f, i)
		}
	}
	for i := range r.s.Network.Hosts {
		h := &r.s.Network.Hosts[i]
		// Only a host that obeys pause frames needs a response time: for others
		// a rate without a source is no fault.
		if d := r.responses[i]; d.IsGiven() || h.PFC != 0 || h.DCBX != nil || h.Link != pfc.LinkIgnored {
			// The time is found last, because a key of one host may have switched on what needs it.
			h.Response = r.response("host", fabric.AtHost(i), d)
		}
	}
}

// hostOf reads the settings of a host. Keys that the file does not have leave
// the host as it is. A host is read twice where the file names it, and its own keys come last.
func (r *reader) hostOf(f map[string]*document.Value, i int) {
	h := &r.s.Network.Hosts[i]
	take(&h.PFC, f["pfc"], r.priorities)
	// IEEE 802.3 annex 31D: a link with PFC has PAUSE off. The file may say otherwise, to show what happens then.
	take(&h.Link, f["link_pause"], linkRule)
	// The link decides what is usual, so the default is found when all keys are read.
	if x := f["response"]; x != nil {
		r.responses[i] = document.Quantity(x, parseDelay)
	}
	// The bytes that a card has handed to its transmitter and that no pause stops, beyond the frame in transmission.
	if x := f["committed"]; x != nil {
		bytes := document.Quantity(x, unit.ParseBytes)
		for class := range h.AfterPause {
			h.AfterPause[class] = bytes
		}
	}
	if x := f["dcbx"]; x != nil {
		h.DCBX = r.readDCBX(x, false)
	}
}
