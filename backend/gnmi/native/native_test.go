package native_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// planned is two lossless priorities on some ports.
func planned(t testing.TB, cable unit.Length, ports ...string) nos.Plan {
	t.Helper()
	eighth := thresholds.Alpha(-3)
	in := buffer.Intent{
		Chip: buffer.Chip{Name: "tomahawk", Cell: 208, Slices: []buffer.Slice{{Cells: 80660}}, MinAlpha: -8, MaxAlpha: 7,
			Groups: pg.PerPort},
		Pool: buffer.Pool{Size: 12 * unit.MiB, SharedHeadroom: 4 * unit.MiB}, Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{
			{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, Reserved: unit.Given[unit.Bytes](1248), Alpha: &eighth,
				MTU: 4096, XONOffset: unit.Given[unit.Bytes](3536),
				QueueReserved: 416,
				ECN:           ecn.Thresholds{KMin: 100 * unit.KiB, KMax: 400 * unit.KiB, PMax: 5 * unit.OnePercent}},
			{Name: "best effort", Priorities: []int{0, 1, 2, 5, 6, 7}, Reserved: unit.Given[unit.Bytes](208)},
		},
	}
	for _, name := range ports {
		in.Ports = append(in.Ports, buffer.Port{Name: name, Rate: 100 * unit.Gbps, Cable: cable, MTU: 9216})
	}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
	return nos.Plan{Intent: in, Layout: plan.Layout()}
}

// shipped is a switch as it comes.
var shipped = sonicfake.Shipped

// served is a switch that listens until the test ends, and a client of it.
func served(t testing.TB, server gpb.GNMIServer, timeout time.Duration) *gnmi.Client {
	t.Helper()
	return dialled(t, server, gnmi.Options{Timeout: timeout})
}

// dialled is a client of a switch with options of its own.
func dialled(t testing.TB, server gpb.GNMIServer, opt gnmi.Options) *gnmi.Client {
	t.Helper()
	s := grpc.NewServer()
	gpb.RegisterGNMIServer(s, server)
	opt.Cell, opt.Insecure = 208, true
	if opt.Retry.Wait == nil {
		opt.Retry.Wait = func(context.Context, time.Duration) error { return nil }
	}
	client, err := gnmi.Dial(smallswitch.At(t, s), opt)
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func language(t testing.TB, cable unit.Length) *native.SONiC {
	return &native.SONiC{Plan: planned(t, cable, "Ethernet0", "Ethernet4")}
}

// push looks and runs.
func push(t testing.TB, client *gnmi.Client, l native.Language) (*native.Push, error) {
	t.Helper()
	return pushWithin(t, client, l, 0)
}

// pushWithin has its own deadline of a Set: short where a switch hangs.
func pushWithin(t testing.TB, client *gnmi.Client, l native.Language, longest time.Duration) (*native.Push, error) {
	t.Helper()
	p, err := native.Look(t.Context(), client, l)
	require.NoError(t, err)
	p.Longest = longest
	return p, p.Run(t.Context())
}

// A rendering for a switch that has all of the plan is empty. What another client changes after the switch was read is
// a difference all the same, whether it comes before the end of the push or before it is compared once more.
func TestSONiCIsChangedBeforeItIsUnchanged(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	client := served(t, s, 0)
	_, err := push(t, client, language(t, 40*unit.Metre))
	require.NoError(t, err)
	theirs := func() {
		db := s.Config()
		db["CABLE_LENGTH"]["AZURE"]["Ethernet4"] = "5m"
		s.Load(db)
	}
	p, err := native.Look(t.Context(), client, language(t, 40*unit.Metre))
	require.NoError(t, err)
	require.NoError(t, p.Run(t.Context()))
	require.Equal(t, backend.Unchanged, p.Report.State)
	require.NoError(t, p.Compare(t.Context()))
	theirs()
	err = p.Compare(t.Context())
	require.ErrorIs(t, err, backend.ErrMismatch)
	require.ErrorContains(t, err, "CABLE_LENGTH/AZURE/Ethernet4")

	_, err = push(t, client, language(t, 40*unit.Metre))
	require.NoError(t, err)
	p, err = native.Look(t.Context(), client, language(t, 40*unit.Metre))
	require.NoError(t, err)
	theirs()
	require.ErrorIs(t, p.Run(t.Context()), backend.ErrOthers)
	require.Equal(t, backend.Unchanged, p.Report.State)
	require.Equal(t, backend.HasNeither, p.Report.Has)
}

// A plan reaches the switch, once; a longer cable changes what depends on it;
// going back restores, and takes away nothing that is not ours.
func TestSONiC(t *testing.T) {
	for _, branch := range []int{202511, 202605, 999912} {
		s := sonicfake.New(shipped())
		s.ASIC, s.Branch, s.Version = "th", branch, fmt.Sprintf("SONiC.%d.17-abc", branch)
		if branch == 999912 {
			s.Version = "SONiC.master.17-abc"
		}
		client := served(t, s, 0)
		p, err := push(t, client, language(t, 40*unit.Metre))
		require.NoError(t, err)
		require.Equal(t, backend.Applied, p.Report.State)
		require.Empty(t, p.Report.Rendering.Waiting)
		db := s.Config()
		require.Equal(t, "3,4", db["PORT_QOS_MAP"]["Ethernet4"]["pfc_enable"])
		require.Equal(t, "40m", db["CABLE_LENGTH"]["AZURE"]["Ethernet4"])
		require.Equal(t, "pg_lossless_100000_40m_profile", db["BUFFER_PG"]["Ethernet0|3-4"]["profile"])
		require.Equal(t, "416", db["BUFFER_PROFILE"][db["BUFFER_QUEUE"]["Ethernet0|3"]["profile"]]["size"])
		require.Equal(t, "AZURE", db["PORT_QOS_MAP"]["Ethernet0"]["dscp_to_tc_map"])
		require.NotEmpty(t, db["WRED_PROFILE"], "a table that was not there")
		require.Equal(t, 1, s.Sets())

		second, err := push(t, client, language(t, 40*unit.Metre))
		require.NoError(t, err)
		require.Equal(t, backend.Unchanged, second.Report.State)
		require.Equal(t, 1, s.Sets(), "the second time nothing is sent")

		require.Equal(t, map[string]int{"Ethernet0": 1, "Ethernet4": 1}, s.Downs(),
			"a change of these tables stops each port once")
		for _, c := range p.Report.Changes {
			require.Equal(t, !strings.Contains(c.Path, "PROFILE") && !strings.Contains(c.Path, "CABLE_LENGTH") &&
				!strings.Contains(c.Path, "TC_TO"), c.Stops == buffer.DisruptsPort, c.Path)
		}

		p, err = push(t, client, language(t, 300*unit.Metre))
		require.NoError(t, err)
		require.Equal(t, []string{"BUFFER_PROFILE/pg_lossless_100000_300m_profile", "CABLE_LENGTH/AZURE/Ethernet0",
			"CABLE_LENGTH/AZURE/Ethernet4", "BUFFER_PG/Ethernet0|3-4/profile", "BUFFER_PG/Ethernet4|3-4/profile"}, changed(p))
	}
}

func changed(p *native.Push) []string {
	var out []string
	for _, c := range p.Report.Changes {
		out = append(out, strings.TrimPrefix(c.Path, "/CONFIG_DB/localhost/"))
	}
	return out
}

// The updater of every branch and chip takes all that is sent to it, and what it would not take waits.
func TestSONiCUpdaters(t *testing.T) {
	effort.SkipFew(t, "it changes each table")
	branches := []int{202305, 202505, 202511, 999912}
	if testing.Short() {
		branches = branches[1:3] // the two sides of the change of rules
	}
	asics := []string{"th", "td2", "th6", ""}
	for _, branch := range branches {
		for i, asic := range asics {
			for k, different := range []string{"", "pool", "xoff", "dynamic_th", "xon_offset", "stale"} {
				if !effort.Some(i+k, len(asics)) {
					continue
				}
				s := sonicfake.New(shipped())
				s.ASIC, s.Branch = asic, branch
				l := language(t, 40*unit.Metre)
				l.Options = sonic.Options{ASIC: asic, Release: fmt.Sprint(branch)}
				if branch == 999912 {
					l.Options.Release = "master"
				}
				if asic == "" {
					l.Plan.Intent.Chip.Name = "unheard of"
				}
				client := served(t, s, 0)
				if different != "" {
					s.Branch, l.Options.Release = 202511, "202511" // so that all is there
					_, err := push(t, client, l)
					require.NoError(t, err)
					s.Branch, l.Options.Release = branch, fmt.Sprint(branch)
					if branch == 999912 {
						l.Options.Release = "master"
					}
					db := s.Config()
					db["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"][different] = "7"
					delete(db["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"], "pool2")
					switch different {
					case "pool":
						db["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]["pool"] = "ingress_lossless_pool"
						db["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "7"
					case "stale":
						delete(db["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"], "stale")
						db["BUFFER_PROFILE"]["CW_LOSSY_7_alpha0"] = map[string]string{"pool": "ingress_lossless_pool", "size": "7",
							"dynamic_th": "0"}
					}
					s.Load(db)
				}
				p, err := push(t, client, l)
				require.NoError(t, err, "%d %q %q: %v", branch, asic, different, changed(p))
				require.NotEqual(t, backend.Refused, p.Report.State)
				sets := s.Sets()
				p, err = push(t, client, l)
				require.NoError(t, err)
				require.Equal(t, sets, s.Sets(), "%d %q %q: sent again: %v", branch, asic, different, changed(p))
			}
		}
	}
}

// What waits is what the updater refuses, and not more: what waits is tried on it by itself.
func TestSONiCWaitsForAReason(t *testing.T) {
	for i, branch := range []int{202305, 202405, 202505, 202511} {
		for k, asic := range []string{"th", "td2", "th5", "spc6"} {
			if !effort.Some(i+k, 4) {
				continue
			}
			s := sonicfake.New(shipped())
			s.ASIC, s.Branch = asic, branch
			client := served(t, s, 0)
			l := language(t, 40*unit.Metre)
			l.Options = sonic.Options{ASIC: asic, Release: fmt.Sprint(branch)}
			db := s.Config()
			db["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "7"
			s.Load(db)
			p, err := push(t, client, l)
			require.NoError(t, err)
			for _, w := range p.Report.Rendering.Waiting {
				if strings.Contains(w.Why, "which needs a reload") || strings.Contains(w.Why, "wait together") ||
					strings.Contains(w.Why, "it belongs to the port's lossless groups") || w.To == "" {
					continue
				}
				path := &gpb.Path{}
				for name := range strings.SplitSeq(strings.TrimPrefix(w.Path, "/"), "/") {
					path.Elem = append(path.Elem, &gpb.PathElem{Name: name})
				}
				err := client.Set(t.Context(), &gpb.SetRequest{Prefix: &gpb.Path{Origin: "sonic-db"},
					Update: []*gpb.Update{{Path: path, Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(
						w.To)}}}}}, 0)
				require.Error(t, err, "%d %s: %s waits, though the updater accepts it: %s", branch, asic, w.Path, w.Why)
			}
		}
	}
}

// A switch that cannot be read, or is another, is sent nothing.
func TestSONiCLook(t *testing.T) {
	db := shipped()
	delete(db["PORT"], "Ethernet4")
	delete(db["BUFFER_PG"], "Ethernet4|0")
	s := sonicfake.New(db)
	_, err := native.Look(t.Context(), served(t, s, 0), language(t, 40*unit.Metre))
	require.ErrorIs(t, err, backend.ErrIdentity)
	require.ErrorContains(t, err, "the switch has no ports Ethernet4")
	delete(db, "DEVICE_METADATA")
	s.Load(db)
	_, err = native.Look(t.Context(), served(t, s, 0), language(t, 40*unit.Metre))
	require.ErrorContains(t, err, "has nothing at /CONFIG_DB/localhost/DEVICE_METADATA")
	require.Zero(t, s.Sets())
}

// A table that is not found once is not taken to be away: it would be written as a whole, over what is in it.
func TestSONiCTableLostOnce(t *testing.T) {
	db := shipped()
	db["PORT"]["Ethernet8"] = map[string]string{}
	db["BUFFER_PG"]["Ethernet8|0"] = map[string]string{"profile": "ingress_lossy_profile"}
	s := sonicfake.New(db)
	s.ASIC, s.Version, s.Lost = "th", "SONiC.20251110.1", map[string]int{"BUFFER_PG": 1}
	p, err := push(t, served(t, s, 0), language(t, 40*unit.Metre))
	require.NoError(t, err)
	require.Equal(t, backend.Applied, p.Report.State)
	require.Equal(t, "ingress_lossy_profile", s.Config()["BUFFER_PG"]["Ethernet8|0"]["profile"])
}

// Who stops the push in the middle is told that the switch may be at work.
func TestSONiCStopped(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	ctx, cancel := context.WithCancel(t.Context())
	s.Fault = func(a *sonicfake.Arrived) error { cancel(); <-a.Context.Done(); return a.Context.Err() }
	p, err := native.Look(ctx, served(t, s, 0), language(t, 40*unit.Metre))
	require.NoError(t, err)
	require.ErrorContains(t, p.Run(ctx), "may still be working on a Set")
	require.Equal(t, backend.Unknown, p.Report.State)
}

// notes is an observer in memory.
type notes struct {
	lines []string
	fail  int
}

func (n *notes) Begin(_ native.Trees, changes []native.Change) error {
	n.lines = append(n.lines, fmt.Sprintf("begin: %d", len(changes)))
	return nil
}

func (n *notes) Sending(p backend.Phase[native.Change]) error {
	n.lines = append(n.lines, fmt.Sprintf("send %d %v: %d", p.Number, p.Restore, len(p.Changes)))
	if len(n.lines) == n.fail {
		return errors.New("disk full")
	}
	return nil
}

func (n *notes) Sent(p backend.Phase[native.Change], err error) error {
	n.lines = append(n.lines, fmt.Sprintf("sent %d %v: %v", p.Number, p.Restore, err != nil))
	return nil
}

func (n *notes) Confirming() error { n.lines = append(n.lines, "confirming"); return nil }
func (n *notes) Cancelling()       { n.lines = append(n.lines, "cancelling") }

// The observer sees each Set before it is sent and after, and may hold it back.
func TestObserver(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version, s.Fault = "th", "SONiC.20251110.1", first(func(a *sonicfake.Arrived) error { a.Half(); return nil })
	p, err := native.Look(t.Context(), served(t, s, 0), language(t, 40*unit.Metre))
	require.NoError(t, err)
	j := &notes{}
	p.Observer = j
	require.Error(t, p.Run(t.Context()))
	require.Equal(t, backend.RolledBack, p.Report.State)
	require.Len(t, j.lines, 5)
	require.Equal(t, []string{"begin: 17", "send 1 false: 17", "sent 1 false: false"}, j.lines[:3])
	require.Contains(t, j.lines[3], "send 1 true: ")

	s.Fault = nil
	p, err = native.Look(t.Context(), served(t, s, 0), language(t, 40*unit.Metre))
	require.NoError(t, err)
	p.Observer = &notes{fail: 2}
	require.ErrorContains(t, p.Run(t.Context()), "disk full")
	require.Equal(t, backend.Unchanged, p.Report.State)
	require.Equal(t, shipped(), s.Config())
}
