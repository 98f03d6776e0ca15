package gnmi_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
)

// What a switch says of its chip is compared with the plan's; what it does not say is named.
func TestIdentity(t *testing.T) {
	capabilities := &gpb.CapabilityResponse{SupportedModels: oc.ΓModelData,
		SupportedEncodings: []gpb.Encoding{gpb.Encoding_JSON_IETF}}
	parts := func(json string) gpb.GNMIServer {
		return &canned{capabilities: capabilities, get: func(*gpb.GetRequest) (*gpb.GetResponse, error) {
			return answer([]*gpb.PathElem{{Name: "components"}}, json), nil
		}}
	}
	simulated := func(name string) gpb.GNMIServer {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		device, err := sim.New(chip)
		require.NoError(t, err)
		served, err := server.NewWith(device, chip.Cell, server.Options{Models: []*gpb.ModelData{server.Simulated(),
			server.SimulatedChip(chip)}})
		require.NoError(t, err)
		return served
	}
	for name, test := range map[string]struct {
		served  gpb.GNMIServer
		plan    string
		says    string
		unknown []string
	}{
		"the same simulated chip": {simulated("tomahawk"), "tomahawk", "", nil},
		"cells of another size": {simulated("tomahawk"), "tomahawk3",
			"the plan is not for this switch: it has the chip tomahawk with cells of 208 bytes, and the plan is for tomahawk3 " +
				"with cells of 254 bytes", nil},
		"another chip with the same cells": {simulated("tomahawk"), "tomahawk2",
			"it has the chip tomahawk, and the plan is for tomahawk2", nil},
		"a variant of the chip": {parts(`"BCM56983_A0"`), "tomahawk3", "", []string{"size of a cell"}},
		"another part": {parts(`{"part-no":"BCM56990"}`), "tomahawk3",
			"it has a BCM56990, and the plan is for tomahawk3 (Broadcom BCM56980 Tomahawk 3)", nil},
		"a chip without a number":    {parts(`"BCM56990"`), "spectrum-4", "", []string{"chip", "size of a cell"}},
		"a switch that does not say": {parts(`"power supply"`), "tomahawk3", "", []string{"chip", "size of a cell"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := serve(t, test.served)
			probe, err := l.client.Probe(t.Context())
			require.NoError(t, err)
			chip, err := asic.Load(test.plan)
			require.NoError(t, err)
			unknown, err := l.client.Identify(t.Context(), probe).Check(chip.Name, chip.Title, chip.Cell)
			if test.says != "" {
				require.ErrorIs(t, err, backend.ErrIdentity)
				require.ErrorContains(t, err, test.says)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.unknown, unknown)
		})
	}
	unknown, err := (&gnmi.Identity{Chip: "tomahawk", Cell: 208}).Check("", "", 208)
	require.NoError(t, err, "a journal has the size of the cells alone")
	require.Empty(t, unknown)
}
