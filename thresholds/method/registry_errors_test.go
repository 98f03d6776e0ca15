package method_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds/method"
)

// A refusal of an option names its key and its value once, whether the reader of the value quotes it or not.
func TestOptionsAreRefusedWithTheirValueOnce(t *testing.T) {
	for value, want := range map[string]string{"64": `frame: "64" is not a number of bytes`,
		"64B:x": `frame: frames "64B:x": "x" is not a percentage`, "63B": `frame "63B": frames of 63B: want sizes`} {
		_, err := method.NewSizer("ieee802.1qbb", "", method.Options{"frame": value})
		require.ErrorContains(t, err, want)
		require.Equal(t, 1, strings.Count(err.Error(), `"`+value+`"`), value)
	}
}
