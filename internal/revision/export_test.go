package revision

import (
	"testing"
	"time"
)

// HurryGit gives every command of git this time, until the test ends.
func HurryGit(t *testing.T, most time.Duration) {
	was := gitTime
	gitTime = most
	t.Cleanup(func() { gitTime = was })
}
