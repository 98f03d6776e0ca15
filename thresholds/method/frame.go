package method

import "github.com/cellwarden/cellwarden/thresholds"

// WithFrames returns a method with other frames that fill the headroom; false for a method that does not reckon with
// frames, or states them itself.
func WithFrames(s thresholds.Sizer, mix thresholds.Mix) (thresholds.Sizer, bool) {
	switch m := s.(type) {
	case thresholds.IEEE:
		m.Mix = mix
		return m, true
	case Juniper:
		m.Mix = mix
		return m, true
	case BroadcomTH3:
		m.Mix = mix
		return m, true
	}
	return s, false
}
