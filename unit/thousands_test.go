package unit_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", -999: "-999", 1000: "1,000", -12345678: "-12,345,678",
		math.MinInt64: "-9,223,372,036,854,775,808"} {
		require.Equal(t, want, unit.Thousands(n))
	}
}
