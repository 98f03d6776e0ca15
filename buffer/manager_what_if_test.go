package buffer_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/golden"
)

// WhatIfAdmit answers as Admit does, and changes nothing.
func TestWhatIfAdmitIsAdmitWithoutAChange(t *testing.T) {
	fit, refused := 0, 0
	for seed := range uint64(300) {
		in := golden.Random(rand.New(rand.NewPCG(seed, 5)))
		ports := in.Ports
		in.Ports = ports[:len(ports)/2]
		m, err := buffer.NewManager(in)
		if err != nil {
			continue
		}
		before := m.Hash()
		what := m.WhatIfAdmit(ports[len(ports)/2:]...)
		require.Equal(t, before, m.Hash())
		err = m.Admit(ports[len(ports)/2:]...)
		if what == nil {
			require.NoError(t, err)
			fit++
			continue
		}
		require.EqualError(t, err, what.Error())
		refused++
	}
	require.Greater(t, fit, 10)
	require.Greater(t, refused, 10)
}
