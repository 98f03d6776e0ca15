package fabric

import (
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the ends of cables at hosts, as their cards are configured: link compares them with the switches.

// hostEndsOf reads what the file says of the ports of hosts. Later entries decide.
func (r *reader) hostEndsOf(list *document.Value) {
	for _, v := range list.Items() {
		f := v.Fields("hosts", "pfc", "mtu", "lossless_mtu")
		v.Need(f, "hosts", "pfc")
		var e linkcheck.End
		var enabled pfc.Priorities
		for _, p := range f["pfc"].Items() {
			enabled |= pfc.Of(int(p.Integer(0, pfc.PerLink-1)))
		}
		e.PFC = unit.Given(enabled)
		e.MaxFrame = document.Optional(f["mtu"], unit.ParseBytes)
		e.LosslessFrame = document.Optional(f["lossless_mtu"], unit.ParseBytes)
		for p := range e.Frames {
			if enabled.Has(p) {
				e.Frames[p] = e.LosslessFrame.Or(0)
			}
		}
		for _, n := range r.hostsOf(f["hosts"]) {
			r.ends[r.nodes[n].name] = e
		}
	}
}

// HostEnd returns what the file says of the ports of a host, with the name of one of them; false: nothing.
func (f *File) HostEnd(at Port) (linkcheck.End, bool) {
	e, stated := f.ends[at.Node]
	e.Name = at.String()
	return e, stated
}
