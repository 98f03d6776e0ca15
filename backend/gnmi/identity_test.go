package gnmi_test

import (
	"slices"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// What a switch says of its chip is compared with the plan's; what it does not say is named.
func TestIdentity(t *testing.T) {
	capabilities := &gpb.CapabilityResponse{SupportedModels: oc.ΓModelData,
		SupportedEncodings: []gpb.Encoding{gpb.Encoding_JSON_IETF}}
	says := func(components, interfaces string) gpb.GNMIServer {
		return &canned{capabilities: capabilities, get: func(r *gpb.GetRequest) (*gpb.GetResponse, error) {
			name := r.GetPath()[0].GetElem()[0].GetName()
			json := map[string]string{"components": components, "interfaces": interfaces}[name]
			if json == "" {
				return nil, status.Error(codes.Unimplemented, "no such path")
			}
			return answer([]*gpb.PathElem{{Name: name}}, json), nil
		}}
	}
	parts := func(json string) gpb.GNMIServer { return says(json, "") }
	simulated := func(name string) gpb.GNMIServer {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		device, err := sim.New(chip)
		require.NoError(t, err)
		served, err := server.New(device, chip.Cell, server.Options{Models: []*gpb.ModelData{server.Simulated(),
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
		"a product with the chip":    {parts(`{"part-no":"DCS-7060CX-32S-F"}`), "tomahawk", "", []string{"size of a cell"}},
		"a product with another chip": {parts(`{"component":[{"state":{"description":"7220 IXR-H4-32D"}}]}`), "tomahawk3",
			"its product 7220 IXR-H4 has the chip tomahawk4 (sonic-utilities 691b1bbc, " +
				"generic_config_updater/gcu_field_operation_validators.conf.json), and the plan is for tomahawk3", nil},
		"a product of another vendor": {parts(`"MSN3700"`), "tomahawk5",
			"its product MSN3700 has the chip spectrum-2", nil},
		"a product whose chip no source names": {parts(`"7220 IXR-D3L"`), "trident3", "", []string{"chip", "size of a cell"}},
		"a chip that no product is known for":  {parts(`"MSN3700"`), "tomahawkplus", "", []string{"chip", "size of a cell"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := serve(t, test.served)
			probe, err := l.client.Probe(t.Context())
			require.NoError(t, err)
			chip, err := asic.Load(test.plan)
			require.NoError(t, err)
			want := gnmi.Expected{Chip: chip.Name, Title: chip.Title, Cell: chip.Cell}
			unknown, err := l.client.Identify(t.Context(), probe).Check(want)
			identified(t, unknown, err, test.unknown, test.says)
		})
	}
	unknown, err := (&gnmi.Identity{Chip: "tomahawk", Cell: 208}).Check(gnmi.Expected{Cell: 208})
	require.NoError(t, err, "a journal of an earlier version has the size of the cells alone")
	require.Empty(t, unknown)

	named := `{"openconfig-interfaces:interface":[{"name":"Ethernet1/1"},{"name":"Ethernet1/2","state":{"name":"x"}}]}`
	for name, test := range map[string]struct {
		interfaces string
		ports      []string
		says       string
		unknown    []string
	}{
		"all are there":       {named, []string{"Ethernet1/2", "Ethernet1/1"}, "", []string{"chip", "size of a cell"}},
		"one is not there":    {named, []string{"Ethernet1/1", "Ethernet1/3"}, "the switch has no ports Ethernet1/3", nil},
		"they are not said":   {"", []string{"Ethernet1/1"}, "", []string{"chip", "size of a cell", "ports"}},
		"an answer of none":   {"{}", []string{"Ethernet1/1"}, "", []string{"chip", "size of a cell", "ports"}},
		"the plan names none": {named, nil, "", []string{"chip", "size of a cell"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := serve(t, says("", test.interfaces))
			probe, err := l.client.Probe(t.Context())
			require.NoError(t, err)
			want := gnmi.Expected{Chip: "tomahawk", Cell: 208, Ports: test.ports}
			unknown, err := l.client.Identify(t.Context(), probe).Check(want)
			identified(t, unknown, err, test.unknown, test.says)
		})
	}
}

// The names of a list's entries are found in paths and in JSON, whichever way the switch gives them.
func TestEntries(t *testing.T) {
	entry := func(name string) *gpb.PathElem {
		return &gpb.PathElem{Name: "interface", Key: map[string]string{"name": name}}
	}
	require.Equal(t, []string{"Ethernet1"}, jsontree.Entries(answer([]*gpb.PathElem{{Name: "interfaces"},
		entry("Ethernet1"),
		{Name: "state"}, {Name: "name"}}, `"Ethernet1"`), "interface"))
	require.Equal(t, []string{"ethernet-1/1", "mgmt0"}, jsontree.Entries(answer(nil,
		`{"srl_nokia-interfaces:interface":[{"name":"mgmt0"},{"name":"ethernet-1/1","subinterface":[{"name":"x"}]}]}`),
		"interface"))
	require.Empty(t, jsontree.Entries(answer([]*gpb.PathElem{entry("*")}, `[{"name":"x"}]`), "interface"))
	require.Empty(t, jsontree.Entries(nil, "interface"))
	require.Equal(t, []string{"a", "b"}, jsontree.Texts(answer(nil, `{"y":["b",{"z":1}],"x":"a"}`)))
}

// Whatever a switch answers, its texts and entries are read or left out.
func FuzzIdentity(f *testing.F) {
	f.Add([]byte(`{"openconfig-interfaces:interface":[{"name":"Ethernet1/1"}]}`))
	f.Add([]byte(`[{"interface":[[{"name":{"name":1}}]]},"BCM56960 DCS-7060CX-32S-F"]`))
	f.Fuzz(func(t *testing.T, json []byte) {
		said := answer([]*gpb.PathElem{{Name: "interfaces"}}, string(json))
		id := gnmi.Identity{Ports: jsontree.Entries(said, "interface")}
		id.Read(jsontree.Texts(said))
		require.True(t, slices.IsSorted(id.Ports))
		_, err := id.Check(gnmi.Expected{Chip: "tomahawk", Title: "BCM56960", Cell: 208, Ports: []string{"Ethernet1/1"}})
		if err != nil {
			require.ErrorIs(t, err, backend.ErrIdentity)
		}
	})
}

// identified requires what an identification found: the refusal with this text, or else what is unknown.
func identified(t *testing.T, unknown []string, err error, want []string, says string) {
	t.Helper()
	if says != "" {
		require.ErrorIs(t, err, backend.ErrIdentity)
		require.ErrorContains(t, err, says)
		return
	}
	require.NoError(t, err)
	require.Equal(t, want, unknown)
}
