// Command controller does what the controller of a network operating system does with cellwarden: it keeps the intent
// of a switch in a buffer.Manager, admits and removes ports and changes cables one request at a time, brings every
// change to the switch in one call, and saves the intent. The switch is a simulated ASIC that is served over gNMI on
// loopback.
package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// controller keeps one switch as its intent says.
type controller struct {
	intent *buffer.Manager // every port in it is admitted, and on the switch
	to     push.Target
	file   string // of the intent
}

func main() {
	dir, ctx := stateDirectory(), context.Background()
	defer os.RemoveAll(dir)
	c := &controller{file: filepath.Join(dir, "leaf.yaml")}
	check(os.WriteFile(c.file, []byte(leaf), 0o600))
	c.load()
	c.to.Address = serve(c.intent.Intent().Chip)

	c.finish(ctx)
	c.push(ctx, "start", c.intent)
	c.request(ctx, "admit Ethernet1/3", func(m *buffer.Manager) error {
		return m.Admit(buffer.Port{Name: "Ethernet1/3", Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216})
	})
	c.request(ctx, "longer cable", func(m *buffer.Manager) error { return cable(m, "Ethernet1/1", 2*unit.Kilometre) })
	c.request(ctx, "too long a cable", func(m *buffer.Manager) error { return cable(m, "Ethernet1/1", 30*unit.Kilometre) })
	c.request(ctx, "release Ethernet1/2", func(m *buffer.Manager) error { return m.Release("Ethernet1/2") })

	before := c.intent.Layout()
	c.load()
	fmt.Println("the same registers after a restart:", slices.Equal(c.intent.Layout(), before))
	c.compare(ctx)
}

// cable changes the cable of a port. All other parts of the port stay.
func cable(m *buffer.Manager, name string, length unit.Length) error {
	p, known := m.Port(name)
	if !known {
		return buffer.ErrNoPort
	}
	p.Cable = length
	return m.Change(name, p)
}

// request makes a change of the intent on a copy, and keeps the copy when the switch has it. A request that does not
// fit is refused by the Manager before the switch is contacted.
func (c *controller) request(ctx context.Context, what string, change func(*buffer.Manager) error) {
	next := c.intent.Clone()
	if err := change(next); err != nil {
		if refusal, ok := errors.AsType[*buffer.Refusal](err); ok {
			fmt.Printf("%s: refused, %d cells short\n", what, refusal.Short)
			return
		}
		check(err)
	}
	c.prove(next)
	c.push(ctx, what, next)
	c.intent = next
	c.save()
}

// push brings an intent to the switch: with a lock, a journal, only the registers that the switch can express, and what
// has changed. It reads back and compares. After an error it takes back its own changes, and State says what is there.
func (c *controller) push(ctx context.Context, what string, m *buffer.Manager) {
	result, err := push.Apply(ctx, c.to, planOf(m), push.Options{Prune: true, Connection: connection()})
	check(err)
	fmt.Printf("%s: %d registers sent: %s\n", what, len(result.Changes), result.State)
}

// prove makes the transition to the next intent in a model of the chip, decreases first: no state on the way takes more
// cells than a slice has.
func (c *controller) prove(next *buffer.Manager) {
	old, in := c.intent.Intent(), next.Intent()
	pipes := old.Pipes() // also of ports that are released
	maps.Copy(pipes, in.Pipes())
	check(buffer.CheckTransition(in.Chip, pipes, c.intent.Layout(), next.Layout()))
}

// planOf is what a push needs of an intent: the intent, and the registers of the chip for it.
func planOf(m *buffer.Manager) nos.Plan { return nos.Plan{Intent: m.Intent(), Layout: m.Layout()} }

// connection is how the switch is reached. A real switch needs TLS, a user and a password.
func connection() gnmi.Options { return gnmi.Options{Insecure: true} }

// finish ends pushes that an earlier run of the controller did not end: their journals say what remains to be done.
func (c *controller) finish(ctx context.Context) {
	home, err := journal.Home()
	check(err)
	open, err := push.Journals().List(home)
	check(err)
	fmt.Println("unfinished pushes:", len(open))
	for _, u := range open {
		p, err := push.Journals().ReadFile(u.Journal)
		check(err)
		_, err = push.Resume(ctx, c.to, p, push.ResumeOptions{Connection: connection()})
		check(err)
	}
}

// save writes the intent as a topology file. Each port keeps its pipe.
func (c *controller) save() {
	written, err := topology.Write(c.intent.Intent())
	check(err)
	check(os.WriteFile(c.file, written.Topology, 0o600))
}

// load reads the intent back, and admits all of its ports again.
func (c *controller) load() {
	data, err := os.ReadFile(c.file)
	check(err)
	in, err := topology.Parse(c.file, data, os.ReadFile)
	check(err)
	c.intent, err = buffer.NewManager(in)
	check(err)
}

// compare changes a register of the switch, as another client would, and compares the switch with the intent.
func (c *controller) compare(ctx context.Context) {
	other := connection()
	other.Cell = c.intent.Intent().Chip.Cell
	client, err := gnmi.Dial(c.to.Address, other)
	check(err)
	defer client.Close()
	r := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}
	check(client.Apply(ctx, []buffer.Step{{Register: r, From: c.intent.Layout().Value(r), To: 9}}))

	found, err := push.Compare(ctx, c.to, planOf(c.intent), push.Options{Connection: connection()}, nil)
	check(err)
	for _, d := range found.Differences {
		fmt.Printf("%s: %s, planned %s\n", d.Register, d.Has, d.Planned)
	}
	c.push(ctx, "put right", c.intent)
}
