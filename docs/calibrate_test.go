package docs_test

import "testing"

// TestCalibrate runs every command of calibrate.md and checks that the page shows its output and the files that it
// reads.
func TestCalibrate(t *testing.T) { keep(t, "calibrate.md", run(t, "calibrate.md")) }
