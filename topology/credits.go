package topology

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/document"
)

// This file reads how classes and ports lose nothing: by pauses (PFC) or by credits (CBFC).

// lossless reads how a class loses nothing: by pauses (true or pfc), by credits (cbfc), or not at all. Neither of
// both is a lossy class. Both at once cannot be said, because the key has one value.
func lossless(v *document.Value) (pauses, credits bool) {
	switch {
	case v == nil:
		return false, false
	// The raw text decides, because the key accepts a boolean of YAML and two words. A quoted "true" passes too.
	case v.Raw() == "cbfc":
		return false, true
	case v.Raw() == "pfc":
		return true, false
	case v.Raw() != "true" && v.Raw() != "false":
		v.Refuse("true or false, pfc (the same as true) or cbfc")
		return false, false
	}
	return v.Boolean(), false
}

// channels reads which virtual channel each traffic class is in, whose numbers are the keys.
func channels(v *document.Value) (out []cbfc.Assignment) {
	// Traffic classes are 0 to 63 and virtual channels 0 to 31. The order is that of the traffic classes and not that
	// of the file, so that one map has one intent.
	for t, x := range v.Numbered(cbfc.MaxTraffic) {
		// A channel that was refused reads as 0, which is a channel: the assignment is left out.
		before := x.Complaints()
		if n := x.Integer(0, cbfc.MaxChannels-1); x.Complaints() == before {
			out = append(out, cbfc.Assignment{Traffic: t, Channel: int(n)})
		}
	}
	return out
}

// portCredits reads how the lossless classes of a port lose nothing: by pauses (pfc, the same as leaving it out), or by
// credits (cbfc). It does not make a class lossless: a port with cbfc uses the channels of those of its classes that
// are.
func portCredits(v *document.Value) bool {
	if v != nil && v.Raw() != "pfc" && v.Raw() != "cbfc" {
		v.Refuse("pfc (as leaving it out) or cbfc, for the port's lossless classes")
	}
	return v != nil && v.Raw() == "cbfc"
}
