package audit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
)

// A code host shows a finding on a line of a file that exists: of the template, if the text is rendered.
func TestSARIFNamesTheTemplate(t *testing.T) {
	f := audit.Finding{Code: audit.PoolOverChip, File: "device/v/p/s/buffers.json.j2", Line: 117, Object: "o"}
	at := func() sarifLocation { return sarifOf([]audit.Finding{f}).Runs[0].Results[0].Locations[0] }
	require.Equal(t, sarifPhysical{sarifArtifact{f.File}, &sarifRegion{117}}, at().Physical)
	f.Template, f.TemplateLine = "device/common/t1.j2", 8
	require.Equal(t, sarifPhysical{sarifArtifact{"device/common/t1.j2"}, &sarifRegion{8}}, at().Physical)
	require.Equal(t, "device/v/p/s/buffers.json.j2: o", at().Logical[0].Name)
	require.Equal(t, "device/v/p/s/buffers.json.j2:117 (device/common/t1.j2:8)", placeOf(&f))
}
