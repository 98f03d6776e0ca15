package junos

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// least is the smallest number of forwarding classes of a QFX switch with the classes of defaults: that of QFX5200
// (Juniper, "Defining CoS Forwarding Classes").
const least = 10

// all is the rendering of a plan with a class and a DSCP for each priority. Those of the list are lossless, at the
// second port alone.
func all(t *testing.T, lossless ...int) *nos.Rendering {
	t.Helper()
	in := buffer.Intent{
		Chip:   buffer.Chip{Name: "small", Cell: 208, Groups: 8, Slices: []buffer.Slice{{Cells: 60000}}},
		Sizing: thresholds.IEEE{},
		Ports: []buffer.Port{{Name: "et-0/0/0", Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216},
			{Name: "et-0/0/1", Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216}},
	}
	for n := range pg.PerPort {
		c := buffer.Class{Name: fmt.Sprintf("class%d", n), Priorities: []int{n}}
		for _, l := range lossless {
			c.Lossless = c.Lossless || l == n
		}
		if !c.Lossless {
			in.Ports[0].Classes |= 1 << n
		}
		in.Classes, in.DSCP[n] = append(in.Classes, c), pg.Points(8*n)
	}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
	return render(nos.Plan{Intent: in, Layout: plan.Layout()})
}

// classesOf are the classes of a switch that has loaded a rendering: those of the rendering, and the default ones that
// it does not name.
func classesOf(t *testing.T, r *nos.Rendering) map[string]*class {
	t.Helper()
	var document struct {
		Root struct {
			CoS struct {
				Classes struct {
					Class []struct {
						Name   string            `json:"name"`
						Queue  int64             `json:"queue-num"`
						NoLoss []json.RawMessage `json:"no-loss"`
					} `json:"class"`
				} `json:"forwarding-classes"`
			} `json:"junos-qfx-conf-class-of-service:class-of-service"`
		} `json:"junos-qfx-conf-root:configuration"`
	}
	require.NoError(t, json.Unmarshal(r.Files[0].Content, &document))
	out := map[string]*class{}
	for _, c := range defaults() {
		out[c.name] = c
	}
	for _, c := range document.Root.CoS.Classes.Class {
		out[c.Name] = &class{name: c.Name, queue: c.Queue, noLoss: c.NoLoss != nil}
	}
	return out
}

// The switch has forwarding classes of its own, of which two are without drops. No queue has classes of both kinds, and
// there are not more classes than the switch has room for, whichever priorities the plan has as lossless.
func TestClassesAgreeWithTheDefaults(t *testing.T) {
	for _, lossless := range [][]int{{0}, {3}, {4}, {5, 6}, {3, 4}, {}, {1, 2, 5, 6}} {
		t.Run(fmt.Sprint(lossless), func(t *testing.T) {
			r := all(t, lossless...)
			classes := classesOf(t, r)
			require.LessOrEqual(t, len(classes), least)
			noLoss := map[int64]bool{}
			for _, n := range lossless {
				noLoss[int64(n)] = true
			}
			for name, c := range classes {
				require.Equal(t, noLoss[c.queue], c.noLoss, "class %s of queue %d", name, c.queue)
			}
			require.Empty(t, r.Undone)
		})
	}
	r := all(t, 0, 1, 2, 3, 4, 5, 6)
	require.Contains(t, fmt.Sprint(r.Undone), "7 forwarding classes are without drops, and a switch has at most 6")
	require.False(t, r.Lossless())
}

// A port with the name of another system has no interface of that name on the switch.
func TestPortsWithOtherNames(t *testing.T) {
	for name, is := range map[string]bool{"et-0/0/0": true, "xe-0/0/11:3": true, "ge-1/0/5": true, "Ethernet1/1": false,
		"ethernet-1/1": false, "et-0/0": false, "Ethernet0": false, "et-0/0/x": false} {
		require.Equal(t, is, portName().MatchString(name), name)
	}
	require.NotContains(t, strings.Join(all(t, 3).Notes, "\n"), "other names")
}
