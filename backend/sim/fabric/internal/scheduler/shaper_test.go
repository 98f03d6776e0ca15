package scheduler

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// TestCredit tests each rule of a shaper's credit.
func TestCredit(t *testing.T) {
	s := shaper{idle: 30, sendSlope: 70}
	s.earn(10, false)
	require.EqualValues(t, 0, s.credit, "nothing waits: nothing is earned")
	s.earn(20, true)
	require.EqualValues(t, 300, s.credit)
	s.send(20, 2)
	require.EqualValues(t, 160, s.credit)
	s.earn(21, false)
	require.EqualValues(t, 160, s.credit, "it still sends: nothing is lost")
	s.earn(23, false)
	require.EqualValues(t, 0, s.credit, "what is above 0 is lost when nothing waits")
	s.send(23, 2)
	s.earn(27, false)
	require.EqualValues(t, -80, s.credit, "a debt is not lost")
	require.EqualValues(t, 3, s.wait())
	s.earn(40, false)
	require.EqualValues(t, 0, s.credit, "but paid off, to 0")
	s.earn(int64(unit.Second)*3600, true)
	s.idle = 1 << 40
	s.earn(int64(unit.Second)*7200, true)
	require.EqualValues(t, mostCredit, s.credit, "credit has an end")
}
