package registry_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/junos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// groups are those of these tests: their shares are no whole percents in all.
var groups = []ets.Group{{Number: 1, Selection: dcbx.Enhanced, Bandwidth: 30},
	{Number: 2, Selection: dcbx.Enhanced, Bandwidth: 25}, {Number: 3, Selection: dcbx.Enhanced, Bandwidth: 45},
	{Number: 7}}

// rename gives the ports of a plan other names, in their order.
func rename(p nos.Plan, names ...string) nos.Plan {
	to := map[string]string{}
	p.Intent.Ports = slices.Clone(p.Intent.Ports)
	for i := range p.Intent.Ports {
		to[p.Intent.Ports[i].Name] = names[i]
		p.Intent.Ports[i].Name = names[i]
	}
	settings := slices.Clone(p.Layout)
	for i := range settings {
		settings[i].Port = to[settings[i].Port]
	}
	p.Layout = buffer.NewLayout(settings)
	return p
}

// requireShares requires that queues are served as a rendering states beforehand: read returns the number of a queue of
// a port, and whether it is strict.
func requireShares(t *testing.T, stated []nos.Shares,
	read func(port string, queue int) (number int64, strict bool)) {
	t.Helper()
	seen := 0
	for i := range stated {
		for _, port := range stated[i].Ports {
			for _, turn := range stated[i].Turns {
				number, strict := read(port, turn.Priority)
				require.Equal(t, turn.Strict, strict, "queue %d of %s", turn.Priority, port)
				if !strict {
					require.EqualValues(t, turn.Rounded.Number, number, "queue %d of %s", turn.Priority, port)
				}
				seen++
			}
		}
	}
	require.NotZero(t, seen)
}

// Junos has groups itself: the parts of the groups come back as the plan has them, and those of the queues in their
// groups as the rendering states them.
func TestGroupsOfJunosComeBackEqual(t *testing.T) {
	plan := rename(cisco(t, groups), "et-0/0/0", "et-0/0/1", "et-0/0/2")
	rendered := junos.System.Render(plan)
	r := read(t, rendered.Files[0])
	require.Empty(t, r.Findings)
	require.Zero(t, r.What().Statements.Unread)
	ports := map[string]*audit.Port{}
	for _, p := range r.Switch.Ports {
		ports[p.Name] = p
	}
	requireShares(t, rendered.Shares, func(port string, queue int) (int64, bool) {
		s := ports[port].Service[queue]
		return s.Percent.Value, s.Strict
	})
	for _, want := range plan.Ports() {
		for n, q := range want.Queues {
			if !q.Classed {
				require.Nil(t, ports[want.Name].Service[n])
				continue
			}
			s := ports[want.Name].Service[n]
			require.Equal(t, fmt.Sprintf("cellwarden-class-%d", q.Class), s.Group)
			require.EqualValues(t, max(0, want.Classes[q.Class].Bandwidth), s.GroupPercent.Value, s.Group)
		}
	}
}

// SONiC has one level, in weights: each queue's scheduler comes back as the rendering states it.
func TestGroupsOfSONiCComeBackEqual(t *testing.T) {
	plan := rename(cisco(t, groups), "Ethernet0", "Ethernet4", "Ethernet8")
	rendered := sonic.Options{ASIC: "th", Release: "202511"}.Render(plan)
	db, err := sonic.System.Read(rendered.Files[0].Name, rendered.Files[0].Content, audit.Chip{})
	require.NoError(t, err)
	r := audit.Run(audit.Source{File: rendered.Files[0].Name, Reading: db})
	ports := map[string]*audit.Port{}
	for _, p := range r.Switch.Ports {
		ports[p.Name] = p
	}
	requireShares(t, rendered.Shares, func(port string, queue int) (int64, bool) {
		by, _ := r.Switch.QueueOf(ports[port], queue)
		require.NotNil(t, by, "queue %d of %s", queue, port)
		return by.Weight.Value, by.Type == "STRICT"
	})
}
