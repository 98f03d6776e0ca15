package native

import (
	"context"
	"errors"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// ErrNoLanguage says that a kind of switch has no native configuration that cellwarden writes.
var ErrNoLanguage = errors.New("no native configuration")

// New is a plan in a dialect, such as a target's profile names it: the name of a system that renders plans. SONiC's
// rendering depends on what is known of the switch, and on what it has.
func New(name string, plan nos.Plan, known sonic.Options) (Language, error) {
	switch s := registry.System(name); {
	case s == nil || s.Render == nil:
		return nil, fmt.Errorf("%w: dialect %q", ErrNoLanguage, name)
	case s.Name == sonic.System.Name:
		return &SONiC{Plan: plan, Options: known}, nil
	default:
		r := s.Render(plan)
		if r.Refused != "" {
			return nil, fmt.Errorf("dialect %s: %w: %s", name, backend.ErrGaps, r.Refused)
		}
		return &Fixed{Rendering: r}, nil
	}
}

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
