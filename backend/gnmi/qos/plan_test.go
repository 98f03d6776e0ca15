package qos_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// A chip of one slice, and plans on it.
const cell = smallswitch.Cell

var chip, intent, weighed, planned = smallswitch.Chip, smallswitch.Intent, smallswitch.Weighed, smallswitch.Planned

// carried is what of a layout goes over gNMI.
func carried(l buffer.Layout) buffer.Layout {
	return l.Only(func(r buffer.Register) bool { return qos.Expressible(r.Kind) })
}

func load(t testing.TB, name string) *nos.Profile {
	t.Helper()
	p, err := registry.LoadProfile(name)
	require.NoError(t, err)
	return p
}
