package method

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// refusal joins the complaints about a method's own parameters.
func refusal(method string, bad complain.List) error {
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%s refused: %s", method, strings.Join(bad.Texts(), "; "))
}

// bothWays returns what is on the wire both ways, cable or measured
// delay with the extra delay, exactly: bytes.
func bothWays(l thresholds.Link) exact.Ratio {
	return l.OneWay().Times(2*int64(l.Rate), 8*int64(unit.Second))
}

// cableSource says where the delay of the cable comes from and what may take
// its place.
func cableSource(l thresholds.Link, how string) (thresholds.SourceKind, string) {
	kind, source := l.Source()
	return kind, how + ", " + source + " (a measured Link.Delay replaces the cable, Link.Extra adds to it each way)"
}
