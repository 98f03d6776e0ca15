package intent_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// meaning is what a configuration means, names apart: what each group and each queue of each port has after the buffer
// manager's step, its PFC, and where each DSCP goes.
func meaning(r *audit.Result, i *intent.Import) map[string]string {
	out := map[string]string{}
	for _, p := range r.Switch.Ports {
		out[p.Name+" pfc"] = fmt.Sprintf("%08b", p.PFC)
		for n, b := range p.Groups {
			if b != nil && b.Computed {
				out[fmt.Sprintf("%s group %d", p.Name, n)] = computed(r, i, p)
				continue
			}
			out[fmt.Sprintf("%s group %d", p.Name, n)] = buffered(r, b)
		}
		for n, b := range p.Queues {
			out[fmt.Sprintf("%s queue %d", p.Name, n)] = buffered(r, b)
			scheduler, marking := r.Switch.QueueOf(p, n)
			if scheduler != nil {
				out[fmt.Sprintf("%s schedule %d", p.Name, n)] = fmt.Sprint(scheduler.Type, scheduler.Weight.Value,
					scheduler.Shaped)
			}
			if marking != nil {
				var text strings.Builder
				text.WriteString(marking.ECN)
				for _, c := range marking.Colours {
					text.WriteString(fmt.Sprint(" ", c.Min.Value, c.Max.Value, c.Drop.Value, c.Enable))
				}
				out[fmt.Sprintf("%s marking %d", p.Name, n)] = text.String()
			}
		}
		classes := p.Maps[audit.DSCPToClass]
		if classes == nil {
			continue
		}
		groups, queues := p.Maps[audit.ClassToGroup], p.Maps[audit.ClassToQueue]
		for point, class := range classes.To {
			out[fmt.Sprintf("%s dscp %d", p.Name, point)] = fmt.Sprint(place(groups, class), place(queues, class))
		}
	}
	return out
}

// place is where a traffic class goes; -1: nowhere.
func place(m *audit.CodeMap, class int) int {
	if m == nil {
		return -1
	}
	if to, is := m.To[class]; is {
		return to
	}
	return -1
}

// buffered is what a group or a queue has. A limit that is none is written as such.
func buffered(r *audit.Result, b *audit.Bound) string {
	switch {
	case b == nil:
		return "nothing"
	case b.Profile == nil || b.Profile.Pool == nil:
		return "nothing that is there"
	}
	p, q := b.Profile, b.Profile.Pool
	limit := fmt.Sprint("alpha ", p.DynamicTh.Value)
	if p.StaticTh.Given {
		limit = fmt.Sprint("static ", p.StaticTh.Value)
	}
	if p.StaticTh.Given && (p.StaticTh.Value == 0 || p.StaticTh.Value >= q.Size.Value) ||
		!p.StaticTh.Given && p.DynamicTh.Value >= 7 && r.Source.Chip.Spectrum() {
		limit = "no limit"
	}
	return profiled(q, p.Size.Value, p.XON.Value, p.XOFF.Value, p.XONOffset.Value, limit)
}

// profiled is what a profile of a pool says.
func profiled(q *audit.Pool, size, xon, xoff, offset int64, limit string) string {
	return fmt.Sprintf("%s %s %s %d %d: size %d xon %d xoff %d offset %d %s", q.Name, q.Type, q.Mode, q.Size.Value,
		q.XOFF.Value, size, xon, xoff, offset, limit)
}

// computed is what the dynamic buffer manager gives a lossless group: the numbers of its formula.
func computed(r *audit.Result, i *intent.Import, p *audit.Port) string {
	at := slices.IndexFunc(i.Intent.Ports, func(o buffer.Port) bool { return o.Name == p.Name })
	c := slices.IndexFunc(i.Intent.Classes, func(c buffer.Class) bool { return c.Lossless })
	pool := slices.IndexFunc(r.Switch.Pools, func(q *audit.Pool) bool { return q.Name == "ingress_lossless_pool" })
	if at < 0 || c < 0 || pool < 0 {
		return "computed"
	}
	class := &i.Intent.Classes[c]
	h, err := i.Intent.Sizing.Size(i.Intent.Ports[at].Link(cmp.Or(class.MTU, i.Intent.Ports[at].MTU)),
		i.Intent.Memory())
	if err != nil {
		return "computed: " + err.Error()
	}
	return profiled(r.Switch.Pools[pool], int64(h.Size), int64(h.XON), int64(h.XOFF), 0,
		fmt.Sprint("alpha ", r.Switch.Computed.DynamicTh.Value))
}

// differing lists what two meanings have otherwise.
func differing(a, b map[string]string) (out []string) {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if a[key] != b[key] {
			out = append(out, fmt.Sprintf("%s: %s, then %s", key, a[key], b[key]))
		}
	}
	return out
}

// document is the configuration of an audit as a document.
func document(db *configdb.Database) config {
	out := config{}
	for _, t := range db.Tables {
		out[t.Name] = map[string]map[string]string{}
		for _, e := range t.Entries {
			out[t.Name][e.Key] = map[string]string{}
			for _, f := range e.Fields {
				out[t.Name][e.Key][f.Name] = f.Value
			}
		}
	}
	return out
}

// applied is a configuration with what a rendering changes: the updates, what needs a reload, and what has to be
// removed by hand before that.
func applied(t testing.TB, c config, r *nos.Rendering) config {
	t.Helper()
	out := config{}
	for name, table := range c {
		out[name] = map[string]map[string]string{}
		for key, e := range table {
			out[name][key] = maps.Clone(e)
		}
	}
	entry := func(name, key string) map[string]string {
		if out[name] == nil {
			out[name] = map[string]map[string]string{}
		}
		if out[name][key] == nil {
			out[name][key] = map[string]string{}
		}
		return out[name][key]
	}
	for _, u := range r.Updates {
		switch parts := u.Path[2:]; {
		case len(parts) == 1 && u.JSON == nil:
			delete(out, parts[0].Name)
		case len(parts) == 2 && u.JSON == nil:
			delete(out[parts[0].Name], parts[1].Name)
		case len(parts) == 3 && u.JSON == nil:
			delete(entry(parts[0].Name, parts[1].Name), parts[2].Name)
		case len(parts) == 1:
			var table map[string]map[string]string
			require.NoError(t, json.Unmarshal(u.JSON, &table))
			out[parts[0].Name] = table
		case len(parts) == 2:
			var e map[string]string
			require.NoError(t, json.Unmarshal(u.JSON, &e))
			delete(out[parts[0].Name], parts[1].Name)
			maps.Copy(entry(parts[0].Name, parts[1].Name), e)
		default:
			var v string
			require.NoError(t, json.Unmarshal(u.JSON, &v))
			entry(parts[0].Name, parts[1].Name)[parts[2].Name] = v
		}
	}
	for _, n := range r.Notes {
		if gone, is := strings.CutPrefix(n, "remove these entries by hand before the reload: "); is {
			for path := range strings.SplitSeq(gone, ", ") {
				parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
				delete(out[parts[0]], parts[1])
			}
		}
	}
	var reload config
	require.NoError(t, json.Unmarshal(r.Files[2].Content, &reload))
	for name, table := range reload {
		for key, e := range table {
			maps.Copy(entry(name, key), e)
		}
	}
	return out
}

// rendered renders an imported configuration for the switch that has it, and returns what the switch has then.
func rendered(t testing.TB, before config, r *audit.Result, i *intent.Import) *audit.Result {
	t.Helper()
	text, err := json.Marshal(before)
	require.NoError(t, err)
	current, err := sonic.ReadConfigDB(text)
	require.NoError(t, err)
	rendering := sonic.Options{Current: current, Table: r.Source.Table}.Render(
		nos.Plan{Intent: i.Intent, Layout: i.Plan.Layout()})
	text, err = json.Marshal(applied(t, before, rendering))
	require.NoError(t, err)
	db, err := sonic.System.Read(r.Source.File, text, audit.Chip{})
	require.NoError(t, err)
	return audit.Run(audit.Source{File: r.Source.File, Reading: db, Chip: r.Source.Chip, Table: r.Source.Table,
		NoTable: r.Source.NoTable, Cable: r.Source.Cable})
}

// The topology of a configuration, rendered for the switch that has it, changes nothing of what the configuration
// means, also of what the topology does not say.
func TestRoundTrip(t *testing.T) {
	for name, change := range map[string]func(config){
		"as it is":             func(config) {},
		"PFC without headroom": func(c config) { c["CABLE_LENGTH"]["AZURE"]["Ethernet8"] = "0m" },
		"colours": func(c config) {
			c["WRED_PROFILE"]["AZURE_LOSSLESS"]["red_min_threshold"] = "1000"
		},
		"packets without ECN stay": func(c config) {
			for _, colour := range audit.Colours() {
				c["WRED_PROFILE"]["AZURE_LOSSLESS"]["wred_"+colour+"_enable"] = "false"
			}
		},
		"a second pool of the ingress": func(c config) {
			c["BUFFER_POOL"]["ingress_lossy_pool"] = map[string]string{"type": "ingress", "mode": "dynamic",
				"size": "1000000"}
			c["BUFFER_PROFILE"]["ingress_lossy_profile"]["pool"] = "ingress_lossy_pool"
		},
		"no xon_offset": func(c config) {
			c["BUFFER_PROFILE"]["own"] = map[string]string{"pool": "ingress_lossless_pool", "size": "1248",
				"xon": "2288", "xoff": "200000", "dynamic_th": "0"}
			for _, port := range []string{"Ethernet0", "Ethernet4", "Ethernet8"} {
				c["BUFFER_PG"][port+"|3-4"] = map[string]string{"profile": "own"}
			}
		},
		"lossless on some ports": func(c config) {
			c["TC_TO_PRIORITY_GROUP_MAP"]["AZURE_DPC"] = map[string]string{}
			for class := range c["TC_TO_PRIORITY_GROUP_MAP"]["AZURE"] {
				c["TC_TO_PRIORITY_GROUP_MAP"]["AZURE_DPC"][class] = "0"
			}
			c["PORT_QOS_MAP"]["Ethernet8"]["tc_to_pg_map"] = "AZURE_DPC"
			c["PORT_QOS_MAP"]["Ethernet8"]["pfc_enable"] = ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := leaf(t)
			change(c)
			r := audited(t, c)
			i, err := intent.Of(r)
			require.NoError(t, err)
			require.Empty(t, differing(meaning(r, i), meaning(rendered(t, c, r, i), i)))
		})
	}
}

// A queue keeps its scheduler, its marking and its profile, and a group its profile, where the switch has others with
// the same content.
func TestNamesInUseStay(t *testing.T) {
	c := leaf(t)
	for table, name := range map[string]string{"SCHEDULER": "scheduler.0", "WRED_PROFILE": "AZURE_LOSSLESS",
		"BUFFER_PROFILE": "ingress_lossy_profile", "DSCP_TO_TC_MAP": "AZURE"} {
		c[table]["A_FIRST"] = c[table][name]
	}
	r := audited(t, c)
	i, err := intent.Of(r)
	require.NoError(t, err)
	text, err := json.Marshal(c)
	require.NoError(t, err)
	current, err := sonic.ReadConfigDB(text)
	require.NoError(t, err)
	rendering := sonic.Options{Current: current, Table: r.Source.Table}.Render(
		nos.Plan{Intent: i.Intent, Layout: i.Plan.Layout()})
	for _, u := range rendering.Updates {
		require.NotContains(t, string(u.JSON), "A_FIRST", nos.Text(u.Path))
	}
}
