package method

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// refusal joins the complaints about a method's parameters.
func refusal(method string, bad fielderr.List) error {
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%s refused: %s", method, strings.Join(bad.Texts(), "; "))
}

// bothWays returns the bytes on the link in both directions, exactly: cable or measured delay, and extra delay.
func bothWays(l thresholds.Link) exact.Ratio {
	return l.OneWay().Times(2*int64(l.Rate), 8*int64(unit.Second))
}

// cableSource returns the source of the cable's delay, and what can replace it.
func cableSource(l thresholds.Link, how string) (thresholds.SourceKind, string) {
	kind, source := l.Source()
	return kind, how + ", " + source + " (a measured Link.Delay replaces the cable, Link.Extra adds to it each way)"
}

// warnResponse says that the response time of the link's sender, if it is given, is not in the result.
func warnResponse(e *thresholds.Explanation, l thresholds.Link, why string) {
	if t, given := l.Response.Get(); given {
		e.Warnings = append(e.Warnings, fmt.Sprintf("the response time %v of the link's sender is not used: %s", t,
			why))
	}
}

// addedText names the delay in addition to the cable, each way; "0ps" without any.
func addedText(l thresholds.Link) string {
	return cmp.Or(l.AddedText(), l.Added().String())
}

// withoutGap returns the same frames without preamble and gap.
func withoutGap(m thresholds.Mix) thresholds.Mix {
	m.WithoutGap = true
	return m
}

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
