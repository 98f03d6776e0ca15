package native_test

import (
	"context"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/unit"
)

// alterable is a switch that comes with two ports, of which another client alters something at a Set.
func alterable(t *testing.T, set int, alter func(sonicfake.DB), then func(*sonicfake.Arrived) error) *sonicfake.Switch {
	t.Helper()
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	s.Fault = func(a *sonicfake.Arrived) error {
		if a.N != set {
			return a.Make()
		}
		if err := a.Make(); err != nil {
			return err
		}
		db := s.Config()
		alter(db)
		s.Load(db)
		return then(a)
	}
	return s
}

// Undoing leaves the value that another client wrote over the push's, and the entry that it added to
// a table which the push made.
func TestUndoOfNativeValuesLeavesOthers(t *testing.T) {
	foreign := map[string]string{"profile": "ingress_lossy_profile"}
	s := alterable(t, 1, func(db sonicfake.DB) {
		db["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = "5"
		db["BUFFER_PG"]["Ethernet8|0"] = foreign
	}, func(*sonicfake.Arrived) error { return nil })
	db := s.Config()
	delete(db, "BUFFER_PG")
	db["PORT"]["Ethernet8"] = map[string]string{"speed": "100000"}
	s.Load(db)
	p, err := push(t, served(t, s, 0), language(t, 40*unit.Metre))
	require.ErrorIs(t, err, backend.ErrOthers)
	require.Equal(t, backend.Partial, p.Report.State)
	now := s.Config()
	require.Equal(t, "5", now["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"])
	require.Equal(t, map[string]map[string]string{"Ethernet8|0": foreign}, now["BUFFER_PG"])
	db["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"], db["BUFFER_PG"] = "5", now["BUFFER_PG"]
	require.Equal(t, db, now, "all else is as before")
	var named []string
	for _, c := range p.Report.Others {
		named = append(named, c.Path)
	}
	require.Contains(t, named, "/CONFIG_DB/localhost/PORT_QOS_MAP/Ethernet0/pfc_enable")
}

// A value that another client changed after it was read is not overwritten, and nothing is sent.
func TestNativeValuesChangedBeforeTheFirstPhase(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	p, err := native.Look(t.Context(), served(t, s, 0), language(t, 40*unit.Metre))
	require.NoError(t, err)
	db := s.Config()
	db["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "300m"
	s.Load(db)
	require.ErrorIs(t, p.Run(t.Context()), backend.ErrOthers)
	require.Equal(t, backend.Unchanged, p.Report.State)
	require.Len(t, p.Report.Others, 1)
	require.Equal(t, `"300m"`, p.Report.Others[0].From)
	require.Zero(t, s.Sets())
}

// Others make all that a push was to send, and change a value of the plan that the switch had when it was read. The
// switch does not hold the plan, and the push does not end as if it did.
func TestNativeValuesBesideThoseToBeSent(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	_, err := push(t, served(t, s, 0), language(t, 40*unit.Metre))
	require.NoError(t, err)
	planned := s.Config()
	without := s.Config()
	delete(without, "TC_TO_PRIORITY_GROUP_MAP")
	s.Load(without)
	p, err := native.Look(t.Context(), served(t, s, 0), language(t, 40*unit.Metre))
	require.NoError(t, err)
	require.Len(t, p.Report.Changes, 1)
	planned["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "300m"
	s.Load(planned)
	sets := s.Sets()
	err = p.Run(t.Context())
	require.ErrorIs(t, err, backend.ErrOthers)
	require.ErrorContains(t, err, "1 of 2, first /CONFIG_DB/localhost/CABLE_LENGTH/AZURE/Ethernet0")
	require.Equal(t, backend.HasNeither, p.Report.Has)
	require.Equal(t, sets, s.Sets())
}

// mute answers every Get without a notification.
type mute struct{ gpb.UnimplementedGNMIServer }

func (mute) Get(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error) {
	return &gpb.GetResponse{}, nil
}

// A Get without a notification is not an empty switch.
func TestNativeGetWithoutNotification(t *testing.T) {
	_, err := native.Look(t.Context(), served(t, mute{}, 0), language(t, 40*unit.Metre))
	require.ErrorContains(t, err, "answered Get without a notification, so its configuration is unknown")
}

// A plan for a chip of another vendor, or for another chip of the same vendor, is not for this switch. Of a product
// whose chip no source names, and of a virtual switch with the HwSKU of some product, that is not known.
func TestSONiCWithAnotherChip(t *testing.T) {
	for says, metadata := range map[string]map[string]string{
		"platform x86_64-mlnx_msn2700-r0, HwSKU ACS-MSN2700, has the chip spectrum-1 (sonic-buildimage 086b03bd, " +
			"platform/mellanox/asic_table.j2), and the plan is for tomahawk": {
			"hwsku": "ACS-MSN2700", "platform": "x86_64-mlnx_msn2700-r0"},
		"HwSKU Mellanox-New, has a chip of NVIDIA, and the plan is for tomahawk": {"hwsku": "Mellanox-New"},
		"HwSKU Arista-7260CX3-C64, has the chip tomahawk2":                       {"hwsku": "Arista-7260CX3-C64"},
		"1": {"hwsku": "Force10-S6000", "platform": "x86_64-kvm_x86_64-r0"},
		"2": {"hwsku": "Unheard-Of"},
		"3": {"hwsku": "Arista-7060CX-32S-C32"},
	} {
		db := shipped()
		db["DEVICE_METADATA"]["localhost"] = metadata
		_, err := native.Look(t.Context(), served(t, sonicfake.New(db), 0), language(t, 40*unit.Metre))
		if len(says) == 1 {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, backend.ErrIdentity)
		require.ErrorContains(t, err, says)
	}
}
