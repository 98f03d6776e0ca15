package gnmi_test

import (
	"testing"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// A simulated ASIC behind gNMI does what every backend has to do, for the registers that OpenConfig can express.
func TestConformance(t *testing.T) {
	effort.SkipFew(t, "it runs the conformance of a backend")
	backendtest.Run(t, func(t *testing.T, chip buffer.Chip) backend.Backend { return newLab(t, chip).client })
}
