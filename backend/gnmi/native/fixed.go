package native

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/nos"
)

// Fixed is a rendering that does not depend on what the switch has: SR Linux's
// and EOS's. What it writes has to be beneath /qos.
type Fixed struct{ Rendering *nos.Rendering }

// Version is not known.
func (f *Fixed) Version() string { return "" }

// Unread is the rendering, which is the same for every switch.
func (f *Fixed) Unread() *nos.Rendering { return f.Rendering }

func (f *Fixed) probe(context.Context, *gnmi.Client) {}

func (f *Fixed) reads() []reading {
	origin := ""
	if len(f.Rendering.Updates) > 0 {
		origin = f.Rendering.Updates[0].Origin
	}
	return []reading{{origin, []nos.Elem{{Name: "qos"}}, gpb.GetRequest_CONFIG, false}}
}

func (f *Fixed) overwrites() bool { return false }

func (f *Fixed) render(Trees) (*nos.Rendering, error) { return f.Rendering, nil }
