package oc

import (
	"testing"

	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"github.com/stretchr/testify/require"
)

// losslessPort returns a port whose lossless queue has its own buffer, a
// dynamic share of the common one, and a WRED curve that marks.
func losslessPort() *Root {
	root := &Root{}

	port := root.GetOrCreateInterfaces().GetOrCreateInterface("Ethernet0")
	port.GetOrCreateConfig().Name = new("Ethernet0")
	port.Config.Type = IETFInterfaces_InterfaceType_ethernetCsmacd
	port.Config.Mtu = new(uint16(9100))
	port.Config.Enabled = new(true)
	port.GetOrCreateEthernet().GetOrCreateConfig().PortSpeed = OpenconfigIfEthernet_ETHERNET_SPEED_SPEED_400GB
	port.Ethernet.GetOrCreateState().GetOrCreateCounters().InMacPauseFrames = new(uint64(7))

	qos := root.GetOrCreateQos()
	queue := qos.GetOrCreateQueues().GetOrCreateQueue("3")
	queue.GetOrCreateConfig().Name = new("3")
	queue.Config.QueueId = new(uint8(3))

	share := qos.GetOrCreateBufferAllocationProfiles().GetOrCreateBufferAllocationProfile("lossless")
	share.GetOrCreateConfig().Name = new("lossless")
	queueShare := share.GetOrCreateQueues().GetOrCreateQueue("3").GetOrCreateConfig()
	queueShare.Name = new("3")
	queueShare.DedicatedBuffer = new(uint64(19456))
	queueShare.UseSharedBuffer = new(true)
	queueShare.SharedBufferLimitType = OpenconfigQos_SHARED_BUFFER_LIMIT_TYPE_DYNAMIC_BASED_ON_SCALING_FACTOR
	queueShare.DynamicLimitScalingFactor = new(int32(-3))

	marking := qos.GetOrCreateQueueManagementProfiles().GetOrCreateQueueManagementProfile("marking")
	marking.GetOrCreateConfig().Name = new("marking")
	curve := marking.GetOrCreateWred().GetOrCreateUniform().GetOrCreateConfig()
	curve.MinThreshold = new(uint64(100_000))
	curve.MaxThreshold = new(uint64(400_000))
	curve.EnableEcn = new(true)
	curve.MaxDropProbabilityPercent = new(uint8(10))

	bound := qos.GetOrCreateInterfaces().GetOrCreateInterface("Ethernet0")
	bound.GetOrCreateConfig().InterfaceId = new("Ethernet0")
	bound.GetOrCreateInterfaceRef().GetOrCreateConfig().Interface = new("Ethernet0")
	bound.GetOrCreateInput().GetOrCreateConfig().BufferAllocationProfile = new("lossless")
	out := bound.GetOrCreateOutput().GetOrCreateQueues().GetOrCreateQueue("3")
	out.GetOrCreateConfig().Name = new("3")
	out.Config.QueueManagementProfile = new("marking")
	out.GetOrCreateState().Name = new("3")
	out.State.EcnMarkedPkts = new(uint64(1 << 40))
	return root
}

// emit returns root as the JSON that goes over gNMI.
func emit(t *testing.T, root *Root) string {
	t.Helper()
	text, err := ygot.EmitJSON(root, &ygot.EmitJSONConfig{
		Format:        ygot.RFC7951,
		Indent:        "  ",
		RFC7951Config: &ygot.RFC7951JSONConfig{AppendModuleName: true},
	})
	require.NoError(t, err)
	return text
}

func TestRoundTrip(t *testing.T) {
	sent := losslessPort()
	require.NoError(t, sent.Validate())
	text := emit(t, sent)

	var received Root
	require.NoError(t, Unmarshal([]byte(text), &received))
	require.Equal(t, sent, &received)
	require.NoError(t, received.Validate())
	require.Equal(t, text, emit(t, &received))
}

// TestJSONForm checks what RFC 7951 asks of the text: 64-bit numbers are
// strings, smaller ones are not, and identities carry their module.
func TestJSONForm(t *testing.T) {
	text := emit(t, losslessPort())
	for _, want := range []string{
		`"openconfig-qos:qos": {`,
		`"openconfig-interfaces:interfaces": {`,
		`"openconfig-if-ethernet:ethernet": {`,
		`"dedicated-buffer": "19456"`,
		`"dynamic-limit-scaling-factor": -3`,
		`"shared-buffer-limit-type": "openconfig-qos:DYNAMIC_BASED_ON_SCALING_FACTOR"`,
		`"port-speed": "openconfig-if-ethernet:SPEED_400GB"`,
		`"type": "iana-if-type:ethernetCsmacd"`,
	} {
		require.Contains(t, text, want)
	}
}

// TestInvalidIsRefused takes a valid tree, spoils one leaf, and expects
// Validate to name the trouble.
func TestInvalidIsRefused(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*Root)
		want  string
	}{
		{
			name: "share of an unknown queue",
			spoil: func(root *Root) {
				root.Qos.Queues = nil
			},
			want: "/queues/queue/config/name",
		},
		{
			name: "unknown buffer allocation profile",
			spoil: func(root *Root) {
				root.Qos.Interfaces.Interface["Ethernet0"].Input.Config.BufferAllocationProfile = new("nowhere")
			},
			want: "nowhere",
		},
		{
			name: "unknown queue management profile",
			spoil: func(root *Root) {
				root.Qos.Interfaces.Interface["Ethernet0"].Output.Queues.Queue["3"].Config.QueueManagementProfile = new("nowhere")
			},
			want: "nowhere",
		},
		{
			name: "unknown port",
			spoil: func(root *Root) {
				root.Qos.Interfaces.Interface["Ethernet0"].InterfaceRef.Config.Interface = new("nowhere")
			},
			want: "nowhere",
		},
		{
			name: "unknown subinterface",
			spoil: func(root *Root) {
				root.Qos.Interfaces.Interface["Ethernet0"].InterfaceRef.Config.Subinterface = new(uint32(17))
			},
			want: "17",
		},
		{
			name: "key differs from the name",
			spoil: func(root *Root) {
				root.Qos.Queues.Queue["3"].Config.Name = new("4")
			},
			want: "/qos/queues/queue",
		},
		{
			name: "chance above 100 percent",
			spoil: func(root *Root) {
				curve := root.Qos.QueueManagementProfiles.QueueManagementProfile["marking"].Wred.Uniform.Config
				curve.MaxDropProbabilityPercent = new(uint8(101))
			},
			want: "101",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := losslessPort()
			test.spoil(root)
			require.ErrorContains(t, root.Validate(), test.want)
		})
	}
}

func TestSubinterfaceReference(t *testing.T) {
	root := losslessPort()
	sub := root.Interfaces.Interface["Ethernet0"].GetOrCreateSubinterfaces().GetOrCreateSubinterface(17)
	sub.GetOrCreateConfig().Index = new(uint32(17))
	root.Qos.Interfaces.Interface["Ethernet0"].InterfaceRef.Config.Subinterface = new(uint32(17))
	require.NoError(t, root.Validate())
}

// TestUnknownLeaf reads a leaf of the published model which is not in ours.
func TestUnknownLeaf(t *testing.T) {
	text := []byte(`{"openconfig-qos:qos": {"buffer-allocation-profiles": {"buffer-allocation-profile": [
		{"name": "lossless", "queues": {"queue": [
			{"name": "3", "config": {"name": "3", "trim-enable": true, "dedicated-buffer": "19456"}}]}}]}}}`)

	require.ErrorContains(t, Unmarshal(text, &Root{}), "trim-enable")

	var root Root
	require.NoError(t, Unmarshal(text, &root, &ytypes.IgnoreExtraFields{}))
	queue := root.Qos.BufferAllocationProfiles.BufferAllocationProfile["lossless"].Queues.Queue["3"]
	require.EqualValues(t, 19456, *queue.Config.DedicatedBuffer)
}

func TestModelData(t *testing.T) {
	versions := map[string]string{}
	for _, model := range ΓModelData {
		versions[model.GetName()] = model.GetVersion()
	}
	require.Equal(t, map[string]string{
		"iana-if-type":            "",
		"ietf-interfaces":         "",
		"openconfig-extensions":   "0.7.0",
		"openconfig-if-ethernet":  "2.18.0",
		"openconfig-inet-types":   "0.8.0",
		"openconfig-interfaces":   "3.8.1",
		"openconfig-packet-match": "2.3.0",
		"openconfig-qos":          "2.2.0",
		"openconfig-qos-types":    "1.0.1",
		"openconfig-types":        "1.0.0",
		"openconfig-yang-types":   "1.0.0",
	}, versions)
}

// TestSchema checks that the schema which travels inside oc.go can be read and
// has the root.
func TestSchema(t *testing.T) {
	schema, err := Schema()
	require.NoError(t, err)
	require.Contains(t, schema.SchemaTree, "Root")
	require.IsType(t, &Root{}, schema.Root)
}

// BenchmarkValidate validates one port with one bound queue.
func BenchmarkValidate(b *testing.B) {
	root := losslessPort()
	for b.Loop() {
		if err := root.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
