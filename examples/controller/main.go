// Command controller does what a network operating system's controller does with a
// plan: it pushes it to several switches with a journal each, resumes the push that
// was interrupted, and watches the switches until one of them is not as planned. The
// switches are simulated ASICs that are served over gNMI on loopback.
package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/cellwarden/cellwarden/backend"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/topology"
)

// controller brings one plan to switches of one kind.
type controller struct {
	chip   buffer.Chip
	layout buffer.Layout
	dir    string // of the journals
}

func main() {
	dir, err := os.MkdirTemp("", "journals")
	check(err)
	defer os.RemoveAll(dir)
	intent, err := topology.Parse("leaf.yaml", []byte(leaf), os.ReadFile)
	check(err)
	plan, err := buffer.New(intent)
	check(err)
	check(plan.Err())
	c, ctx := controller{intent.Chip, plan.Layout(), dir}, context.Background()
	targets := []push.Target{{Address: serve(c.chip)}, {Address: serve(c.chip)}, {Address: serve(c.chip)}}

	states := push.Each(ctx, targets, 2, c.push, nil)
	fmt.Println("pushed:", states)
	open, err := journal.Reader{}.List(dir)
	check(err)
	for _, u := range open {
		client := c.dial(u.Target)
		push, err := journal.Reader{}.ReadFile(u.Journal)
		check(err)
		device := &journal.Registers{Backend: client}
		check(push.Resume(ctx, device, journal.Options{}))
		fmt.Println("resumed:", device.State())
	}
	c.watch(ctx, targets)
}

// interrupted is a switch whose connection is lost after the first Set.
type interrupted struct{ *gnmi.Client }

// Apply sends the Set and loses the connection.
func (i interrupted) Apply(ctx context.Context, steps []buffer.Step) error {
	defer i.Close()
	return i.Client.Apply(ctx, steps)
}

// push brings the plan to a switch. That of the second switch loses its connection
// after the first Set.
func (c controller) push(ctx context.Context, i int, t push.Target) backend.State {
	client := c.dial(t.Address)
	defer client.Close()
	w := journal.NewIn(c.dir, journal.About{Target: t.Address, Profile: nos.Simulated, Cell: c.chip.Cell,
		Want: c.layout})
	var device backend.Backend = client
	if i == 1 {
		device = interrupted{client}
	}
	report, _ := w.Converge(ctx, device, c.layout, backend.Options{}) // the state tells what came of it
	return report.State
}

// watch watches the switches, changes a register of the last, and prints what was found.
func (c controller) watch(ctx context.Context, targets []push.Target) {
	var asPlanned, altered sync.WaitGroup
	asPlanned.Add(len(targets))
	altered.Go(func() { asPlanned.Wait(); c.alter(ctx, targets[2].Address) })
	// The watching ends at the first difference. The Set that makes it has a context of its own, because the switch
	// may report the change before it answers the Set.
	watching, stop := context.WithCancel(ctx)
	defer stop()
	found := push.Each(watching, targets, len(targets), func(ctx context.Context, _ int, t push.Target) *backend.DriftResult {
		client := c.dial(t.Address)
		probed, err := client.Probe(ctx)
		check(err)
		can, err := qos.CheckCompatibility(c.layout, c.chip.Cell, probed.Profile)
		check(err)
		result, err := backend.WatchDrift(ctx, &backend.RegisterDrift{Backend: client, Want: can.Layout, Path: can.BindingPath},
			func(e backend.DriftEvent, _ error) {
				if e == backend.DriftAsPlanned {
					asPlanned.Done()
				}
			})
		check(err)
		stop()
		return result
	}, nil)
	altered.Wait()
	for i, r := range found {
		fmt.Printf("switch %d: %d of %d registers differ\n", i+1, len(r.Differences), r.Compared)
		for _, d := range r.Differences {
			fmt.Printf("  %s: %s, planned %s\n", d.Register, d.Has, d.Planned)
		}
	}
}
