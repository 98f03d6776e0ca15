package internal_test

import (
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// below is a path of names.
func below(names ...string) *gpb.Path {
	p := &gpb.Path{}
	for _, name := range names {
		p.Elem = append(p.Elem, &gpb.PathElem{Name: name})
	}
	return p
}

// lengthOf is a Set of the cable of a port.
func lengthOf(port string) *gpb.SetRequest {
	return &gpb.SetRequest{Prefix: &gpb.Path{Origin: "sonic-db"},
		Update: []*gpb.Update{{Path: below("CONFIG_DB", "localhost", "CABLE_LENGTH", "AZURE", port), Val: text("40m")}}}
}

func text(s string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(`"` + s + `"`)}}
}

// A slash in a key is ~1 in the path of a Set: as it is, it parts two keys. A field whose name has one can be added,
// is not deleted, and not replaced.
func TestSonicfakeSlashInAKey(t *testing.T) {
	s := sonicfake.New(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Eth1/1": "5m"}},
		"PORT_QOS_MAP": {"Eth1/1": {"pfc_enable": "3", "pfcwd_sw_enable": "3"}}, "PORT": {"Eth1/1": {"speed": "1"}}})
	_, err := s.Set(t.Context(), lengthOf("Eth1/1"))
	require.Equal(t, codes.Unknown, status.Code(err))
	_, err = s.Set(t.Context(), lengthOf("Eth1~11"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"Eth1/1": "40m"}, s.Config()["CABLE_LENGTH"]["AZURE"])

	request := lengthOf("Eth1~11")
	request.Delete, request.Update = []*gpb.Path{request.Update[0].Path}, nil
	_, err = s.Set(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"Eth1/1": "40m"}, s.Config()["CABLE_LENGTH"]["AZURE"])
	request = lengthOf("Eth1~11")
	request.Replace, request.Update = request.Update, nil
	_, err = s.Set(t.Context(), request)
	require.Equal(t, codes.Unknown, status.Code(err))

	request = lengthOf("Eth1~11")
	request.Update, request.Delete = nil,
		[]*gpb.Path{below("CONFIG_DB", "localhost", "PORT_QOS_MAP", "Eth1~11", "pfc_enable")}
	_, err = s.Set(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"pfcwd_sw_enable": "3"}, s.Config()["PORT_QOS_MAP"]["Eth1/1"])
}

// A Set that the server does not hand to the updater changes nothing, and its code says why.
func TestSonicfakeRefusedSets(t *testing.T) {
	other := lengthOf("Ethernet0")
	other.Update[0].Path.Elem[0].Name = "COUNTERS_DB"
	for name, test := range map[string]struct {
		request *gpb.SetRequest
		with    func(*sonicfake.Switch)
		code    codes.Code
		says    string
	}{
		"read-only": {lengthOf("Ethernet0"), func(s *sonicfake.Switch) { s.ReadOnly = true }, codes.Unimplemented,
			"read-only mode"},
		"models alone": {lengthOf("Ethernet0"), func(s *sonicfake.Switch) { s.OnlyModels = true }, codes.Unimplemented,
			"native write is disabled"},
		"a model": {&gpb.SetRequest{Update: []*gpb.Update{{Path: below("interfaces")}}}, nil, codes.Unimplemented,
			"Translib write"},
		"another database": {other, nil, codes.Unknown, "Set RPC does not support COUNTERS_DB"},
		"no namespace": {&gpb.SetRequest{Prefix: &gpb.Path{Origin: "sonic-db"}, Update: []*gpb.Update{{
			Path: below("CONFIG_DB")}}}, nil, codes.NotFound, "elem length"},
		"blocked": {lengthOf("Ethernet0"), func(s *sonicfake.Switch) { s.Blocked = []string{"CONFIG_DB /CABLE_LENGTH"} },
			codes.PermissionDenied, "request path is blocked by policy"},
		"blocked, and read-only": {lengthOf("Ethernet0"), func(s *sonicfake.Switch) {
			s.Blocked, s.ReadOnly = []string{"CONFIG_DB /"}, true
		}, codes.Unimplemented, "read-only mode"},
		"without a text": {lengthOf("Ethernet0"), func(s *sonicfake.Switch) { s.Fault = (*sonicfake.Arrived).Unexplained },
			codes.Unknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := sonicfake.New(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}})
			if test.with != nil {
				test.with(s)
			}
			_, err := s.Set(t.Context(), test.request)
			require.Equal(t, test.code, status.Code(err))
			require.Contains(t, status.Convert(err).Message(), test.says)
			require.Equal(t, test.says == "", status.Convert(err).Message() == "")
			require.Equal(t, "5m", s.Config()["CABLE_LENGTH"]["AZURE"]["Ethernet0"])
		})
	}
}

// A blocked path is what is beneath it and above it, in both forms of a request.
func TestSonicfakeBlockedPaths(t *testing.T) {
	for line, blocked := range map[string]bool{"CONFIG_DB /CABLE_LENGTH": true, "CONFIG_DB /CABLE_LENGTH/AZURE": true,
		"CONFIG_DB /CABLE*": true, "* /*/AZURE": true, "CONFIG_DB /": true, "CONFIG_DB /PORT": false,
		"COUNTERS_DB /CABLE_LENGTH": false, "CONFIG_DB /CABLE_LENGTH/AZ": true, "CONFIG_DB /CABLE": false} {
		s := sonicfake.New(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}, "AZ": {"Ethernet4": "5m"}}})
		s.Blocked = []string{line}
		for _, request := range []*gpb.GetRequest{
			{Prefix: &gpb.Path{Origin: "sonic-db"}, Path: []*gpb.Path{below("CONFIG_DB", "localhost", "CABLE_LENGTH")}},
			{Prefix: &gpb.Path{Target: "CONFIG_DB"}, Path: []*gpb.Path{below("CABLE_LENGTH")}},
		} {
			_, err := s.Get(t.Context(), request)
			require.Equal(t, blocked, status.Code(err) == codes.PermissionDenied, "%s: %v", line, err)
		}
	}
}

// Of the origin sonic-db a table without entries is not found, unless other keys begin with its name: then nothing is
// answered. The target CONFIG_DB has it as an empty object.
func TestSonicfakeTableWithoutEntries(t *testing.T) {
	native := func(table string) *gpb.GetRequest {
		return &gpb.GetRequest{Prefix: &gpb.Path{Origin: "sonic-db"},
			Path: []*gpb.Path{below("CONFIG_DB", "localhost", table)}}
	}
	s := sonicfake.New(sonicfake.DB{"QUEUE_OLD": {"Ethernet0|3": {"scheduler": "x"}}})
	_, err := s.Get(t.Context(), native("SCHEDULER"))
	require.Equal(t, codes.NotFound, status.Code(err))
	answer, err := s.Get(t.Context(), native("QUEUE"))
	require.NoError(t, err)
	require.Empty(t, answer.GetNotification())
	answer, err = s.Get(t.Context(), &gpb.GetRequest{Prefix: &gpb.Path{Target: "CONFIG_DB"},
		Path: []*gpb.Path{below("SCHEDULER")}})
	require.NoError(t, err)
	require.Equal(t, "{}", string(answer.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal()))
}

// What is not in a checkpoint is read from Redis.
func TestSonicfakeCheckpointWithoutThePath(t *testing.T) {
	s := sonicfake.New(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}})
	s.Checkpoint()
	s.Load(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}}, "SCHEDULER": {"x": {"type": "DWRR"}}})
	for table, has := range map[string]string{"CABLE_LENGTH": "5m", "SCHEDULER": "DWRR"} {
		answer, err := s.Get(t.Context(), &gpb.GetRequest{Prefix: &gpb.Path{Origin: "sonic-db"},
			Path: []*gpb.Path{below("CONFIG_DB", "localhost", table)}})
		require.NoError(t, err)
		require.Contains(t, string(answer.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal()), has)
	}
}

// Two patches at a time are not kept apart: of an entry that both change the later write stays, and the first Set fails
// though all of it was written.
func TestSonicfakeTwoPatchesAtATime(t *testing.T) {
	s := sonicfake.New(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "5m"}},
		"BUFFER_PG": {"Ethernet0|0": {"profile": "NULL"}}, "PORT": {"Ethernet0": {"speed": "1"}}})
	theirs := func(table, key, field, value string) func(*sonicfake.Switch) {
		return func(s *sonicfake.Switch) {
			db := s.Config()
			db[table][key][field] = value
			s.Load(db)
		}
	}
	with := func(other func(*sonicfake.Switch)) error {
		s.Fault = func(a *sonicfake.Arrived) error { return a.MakeBeside(other) }
		_, err := s.Set(t.Context(), lengthOf("Ethernet0"))
		return err
	}
	err := with(theirs("PORT", "Ethernet0", "speed", "2"))
	require.ErrorContains(t, err, "still some parts not updated")
	require.Equal(t, "40m", s.Config()["CABLE_LENGTH"]["AZURE"]["Ethernet0"])
	require.Equal(t, "2", s.Config()["PORT"]["Ethernet0"]["speed"])
	require.Equal(t, "5m", s.Saved()["CABLE_LENGTH"]["AZURE"]["Ethernet0"])

	require.NoError(t, with(theirs("BUFFER_PG", "Ethernet0|0", "theirs", "1")), "BUFFER_PG is not compared")
	require.Equal(t, s.Config(), s.Saved())

	db := s.Config()
	db["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "5m"
	s.Load(db)
	require.NoError(t, with(theirs("CABLE_LENGTH", "AZURE", "Ethernet4", "300m")), "theirs is written over")
	require.Equal(t, map[string]string{"Ethernet0": "40m", "Ethernet4": "5m"}, s.Config()["CABLE_LENGTH"]["AZURE"])
}

// A checkpoint of an earlier Set is gone after a Set that failed, too: they are one file.
func TestSonicfakeCheckpointAfterAFailure(t *testing.T) {
	s := sonicfake.New(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}})
	s.Checkpoint()
	s.Load(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}}})
	_, err := s.Set(t.Context(), lengthOf(strings.Repeat("x/", 2)))
	require.Error(t, err)
	answer, err := s.Get(t.Context(), &gpb.GetRequest{Prefix: &gpb.Path{Origin: "sonic-db"},
		Path: []*gpb.Path{below("CONFIG_DB", "localhost", "CABLE_LENGTH")}})
	require.NoError(t, err)
	require.Contains(t, string(answer.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal()), "40m")
}
