package internal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/named"
)

type medium int

var media = []string{"fibre", "copper"}

func (m medium) String() string { return named.Of(m, "medium", media...) }

func Example_named() {
	m, err := named.Parse[medium]("copper", "not a medium", media...)
	fmt.Println(m, err)
	_, err = named.Parse[medium]("air", "not a medium", media...)
	fmt.Println(err)
	// Output:
	// copper <nil>
	// "air" is not a medium (want fibre, copper)
}

// Numbers without a name are shown as numbers, whatever a caller put into a field.
func TestNamedOfNumbersWithoutAName(t *testing.T) {
	require.Equal(t, "fibre", medium(0).String())
	require.Equal(t, "medium 2", medium(2).String())
	require.Equal(t, "medium -1", medium(-1).String())
	require.Equal(t, "cause 255", named.Of(uint8(255), "cause", "none"))
}
