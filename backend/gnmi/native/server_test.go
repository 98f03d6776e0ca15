package native_test

import (
	"context"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/unit"
)

// comes is a switch as it comes.
func comes(db sonicfake.DB) *sonicfake.Switch {
	s := sonicfake.New(db)
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	return s
}

// slashed is a switch whose ports have a slash in their names.
func slashed() sonicfake.DB {
	db := shipped()
	for _, table := range []string{"PORT", "PORT_QOS_MAP"} {
		db[table] = map[string]map[string]string{"Eth1/1": db[table]["Ethernet0"], "Eth1/2": db[table]["Ethernet4"]}
	}
	db["BUFFER_PG"] = map[string]map[string]string{"Eth1/1|0": {"profile": "ingress_lossy_profile"}}
	db["CABLE_LENGTH"] = map[string]map[string]string{"AZURE": {"Eth1/1": "5m", "Eth1/2": "5m"}}
	return db
}

// The names of a path are parts of a pointer of the patch that sonic-gnmi makes of a Set: a slash in them is ~1.
func TestSONiCPortsWithASlash(t *testing.T) {
	s := comes(slashed())
	client := served(t, s, 0)
	p, err := push(t, client, &native.SONiC{Plan: planned(t, 40*unit.Metre, "Eth1/1", "Eth1/2")})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, p.Report.State)
	now := s.Config()
	require.Equal(t, map[string]string{"Eth1/1": "40m", "Eth1/2": "40m"}, now["CABLE_LENGTH"]["AZURE"])
	require.Equal(t, "3,4", now["PORT_QOS_MAP"]["Eth1/1"]["pfc_enable"])

	s = comes(slashed()) // and what failed is taken back
	s.Fault = func(a *sonicfake.Arrived) error {
		if err := a.Make(); err != nil || a.N > 1 {
			return err
		}
		return a.Unexplained()
	}
	p, err = push(t, served(t, s, 0), &native.SONiC{Plan: planned(t, 40*unit.Metre, "Eth1/1", "Eth1/2")})
	require.Error(t, err)
	require.Equal(t, backend.RolledBack, p.Report.State)
	require.Equal(t, slashed(), s.Config())
}

// sonic-gnmi passes over the deletion of a field whose name has a slash. What was added is said to be left.
func TestSONiCFieldWithASlashIsNotDeleted(t *testing.T) {
	db := slashed()
	delete(db["CABLE_LENGTH"]["AZURE"], "Eth1/1")
	s := comes(db)
	s.Fault = func(a *sonicfake.Arrived) error {
		if err := a.Make(); err != nil || a.N > 1 {
			return err
		}
		return a.Unexplained()
	}
	p, err := push(t, served(t, s, 0), &native.SONiC{Plan: planned(t, 40*unit.Metre, "Eth1/1", "Eth1/2")})
	require.Error(t, err)
	require.Equal(t, "40m", s.Config()["CABLE_LENGTH"]["AZURE"]["Eth1/1"])
	require.Equal(t, backend.Partial, p.Report.State)
	var named []string
	for _, c := range append(p.Report.Others, p.Report.Differences...) {
		named = append(named, c.Path)
	}
	require.Contains(t, named, "/CONFIG_DB/localhost/CABLE_LENGTH/AZURE/Eth1/1")
}

// behind is a switch at a gateway, which passes on the requests without the name of the switch.
type behind struct{ *sonicfake.Switch }

func (b behind) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	b.strip(req.Prefix)
	return b.Switch.Get(ctx, req)
}

func (b behind) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	b.strip(req.Prefix)
	return b.Switch.Set(ctx, req)
}

func (behind) strip(prefix *gpb.Path) {
	if prefix.GetTarget() == "leaf1" {
		prefix.Target = ""
	}
}

// Of a table without entries, whose name begins that of another table, sonic-gnmi answers nothing. So it is empty.
func TestSONiCTableWhoseNameBeginsAnother(t *testing.T) {
	db := shipped()
	db["SCHEDULER_OLD"] = map[string]map[string]string{"x": {"type": "DWRR"}}
	for name, opt := range map[string]gnmi.Options{"switch": {}, "gateway": {Target: "leaf1"}} {
		t.Run(name, func(t *testing.T) {
			s := comes(db)
			p, err := push(t, dialled(t, behind{s}, opt), language(t, 40*unit.Metre))
			require.NoError(t, err)
			require.Equal(t, backend.Applied, p.Report.State)
			require.Empty(t, p.Report.Checkpoint)
		})
	}
}

// A Set beside another client's: the updater writes all of the patch, and then fails because there is more.
func TestSONiCBesideAnotherPatch(t *testing.T) {
	s := comes(shipped())
	s.Fault = func(a *sonicfake.Arrived) error {
		if a.N > 1 {
			return a.Make()
		}
		return a.MakeBeside(func(s *sonicfake.Switch) {
			db := s.Config()
			db["PORT"]["Ethernet4"]["speed"] = "40000"
			s.Load(db)
		})
	}
	client := served(t, s, 0)
	p, err := push(t, client, language(t, 40*unit.Metre))
	require.ErrorContains(t, err, "still some parts not updated")
	require.Equal(t, backend.RolledBack, p.Report.State)
	want := shipped()
	want["PORT"]["Ethernet4"]["speed"] = "40000"
	require.Equal(t, want, s.Config(), "theirs stays")
	require.False(t, client.Unsaved())
	require.Equal(t, want, s.Saved())
}

// Whatever sonic-gnmi says to a Set that it does not hand on, nothing was changed. An error without a text is said to
// have none.
func TestSONiCRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		with func(*sonicfake.Switch)
		says string
	}{
		"read-only":    {func(s *sonicfake.Switch) { s.ReadOnly = true }, "(Unimplemented): GNMI is in read-only mode"},
		"models alone": {func(s *sonicfake.Switch) { s.OnlyModels = true }, "(Unimplemented): GNMI native write is disabled"},
		"no text": {func(s *sonicfake.Switch) { s.Fault = (*sonicfake.Arrived).Unexplained },
			"Set failed (Unknown) without a reason"},
	} {
		t.Run(name, func(t *testing.T) {
			s := comes(shipped())
			test.with(s)
			p, err := push(t, served(t, s, 0), language(t, 40*unit.Metre))
			require.ErrorContains(t, err, test.says)
			require.Equal(t, backend.Refused, p.Report.State)
			require.Equal(t, shipped(), s.Config())
		})
	}
	s := comes(shipped())
	s.Blocked = []string{"CONFIG_DB /BUFFER_POOL"}
	_, err := native.Look(t.Context(), served(t, s, 0), language(t, 40*unit.Metre))
	require.ErrorContains(t, err, "/CONFIG_DB/localhost/BUFFER_POOL")
	require.ErrorContains(t, err, "(PermissionDenied): request path is blocked by policy")
}
