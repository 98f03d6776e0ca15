package server

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// A value that is read by itself and laid on a tree gives what ygot gives that reads it into the tree.
func TestOverlayAsYgotDoes(t *testing.T) {
	effort.SkipShort(t, "it compares random trees")
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		tree, other := anyTree(r, 20), anyTree(r, 20)
		text, err := ygot.Marshal7951(other, &ygot.RFC7951JSONConfig{AppendModuleName: true})
		require.NoError(t, err)
		var value any
		require.NoError(t, json.Unmarshal(text, &value))
		want, err := copyTree(tree)
		require.NoError(t, err)
		require.NoError(t, ytypes.Unmarshal(root(), want, value))
		fresh := &oc.Root{}
		require.NoError(t, ytypes.Unmarshal(root(), fresh, value))
		overlay(reflect.ValueOf(tree).Elem(), reflect.ValueOf(fresh).Elem())
		require.Equal(t, want, tree)
	}
}
