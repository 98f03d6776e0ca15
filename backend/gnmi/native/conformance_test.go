package native_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// altered is a plan with another value in the registers of one kind.
func altered(p nos.Plan, k buffer.Kind, alter func(buffer.Setting) int64) nos.Plan {
	var steps []buffer.Step
	for _, s := range p.Layout {
		if s.Kind == k {
			steps = append(steps, buffer.Step{Register: s.Register, From: s.Value, To: alter(s)})
		}
	}
	p.Layout = p.Layout.With(steps)
	return p
}

// conforming are the plans of the suite. The second needs another profile of
// queues: the first one's is deleted in a phase of its own.
func conforming(t *testing.T, p backendtest.Plan) nos.Plan {
	switch p {
	case backendtest.Second:
		return altered(planned(t, 300*unit.Metre, "Ethernet0", "Ethernet4"), buffer.QueueReserved,
			func(s buffer.Setting) int64 { return 2 * s.Value })
	case backendtest.TooLarge:
		return altered(planned(t, 40*unit.Metre, "Ethernet0", "Ethernet4"), buffer.GroupAlpha,
			func(buffer.Setting) int64 { return -2 })
	default:
		return planned(t, 40*unit.Metre, "Ethernet0", "Ethernet4")
	}
}

// A SONiC switch does what every device has to do. What is not checked is that
// it can be emptied: a plan of nothing takes nothing away.
func TestConformanceOfSONiC(t *testing.T) {
	effort.SkipFew(t, "it runs the conformance of a backend")
	backendtest.RunDevice(t, func(t *testing.T) backendtest.Subject[native.Trees, native.Change] {
		s := sonicfake.New(shipped()) // of a chip that the updater does not know: it takes no fields of profiles
		client := served(t, s, 0)
		return backendtest.Subject[native.Trees, native.Change]{
			Device: func(t *testing.T, p backendtest.Plan) backend.Device[native.Trees, native.Change] {
				if p == backendtest.Nothing {
					return nil
				}
				push, err := native.Look(t.Context(), client,
					&native.SONiC{Plan: conforming(t, p), Options: sonic.Options{ASIC: "th", Release: "202511"}})
				require.NoError(t, err)
				return push.Device()
			},
			Content: func(*testing.T) any { return s.Config() },
		}
	})
}

// A switch whose native values are those of EOS does, too, with commits that are confirmed and without.
func TestConformanceOfEOS(t *testing.T) {
	for _, rollback := range []time.Duration{0, time.Minute} {
		t.Run(rollback.String(), func(t *testing.T) { conformanceOfEOS(t, rollback) })
	}
}

func conformanceOfEOS(t *testing.T, rollback time.Duration) {
	backendtest.RunDevice(t, func(t *testing.T) backendtest.Subject[native.Trees, native.Change] {
		s := &committing{tree: &tree{module: "openconfig-qos", origin: "openconfig", root: map[string]any{}}}
		client := dialled(t, s, gnmi.Options{Rollback: rollback})
		t.Cleanup(func() {
			require.True(t, s.waiting == "" || strings.HasSuffix(t.Name(), "it_dies"), "no commit waits in the end")
		})
		return backendtest.Subject[native.Trees, native.Change]{
			Device: func(t *testing.T, p backendtest.Plan) backend.Device[native.Trees, native.Change] {
				if p == backendtest.Nothing || p == backendtest.TooLarge {
					return nil
				}
				plan := conforming(t, p)
				if p == backendtest.Second { // EOS has PFC alone: one lossless priority less
					plan = altered(plan, buffer.GroupLossless, func(s buffer.Setting) int64 { return int64(4-s.Index) % 2 })
				}
				push, err := native.Look(t.Context(), client, &native.Fixed{Rendering: eos.System.Render(plan)})
				require.NoError(t, err)
				return push.Device()
			},
			Content: func(*testing.T) any { return s.text() },
		}
	})
}
