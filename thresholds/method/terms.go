package method

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// refusal joins the complaints about a method's parameters.
func refusal(method string, bad complain.List) error {
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%s refused: %s", method, strings.Join(bad.Texts(), "; "))
}

// bothWays returns the bytes on the link in both directions, exactly: cable or
// measured delay, and extra delay.
func bothWays(l thresholds.Link) exact.Ratio {
	return l.OneWay().Times(2*int64(l.Rate), 8*int64(unit.Second))
}

// cableSource returns the source of the cable's delay, and what can replace it.
func cableSource(l thresholds.Link, how string) (thresholds.SourceKind, string) {
	kind, source := l.Source()
	return kind, how + ", " + source + " (a measured Link.Delay replaces the cable, Link.Extra adds to it each way)"
}
