package journal_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/backend/sim"
)

// A device dies after the first of two phases. Its journal says how far the push came,
// and undoes it when the device is back.
func Example() {
	dir, err := os.MkdirTemp("", "journals")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	asic, err := sim.New(backendtest.Chip())
	if err != nil {
		log.Fatal(err)
	}
	ctx, want := context.Background(), backendtest.Layout(10)
	w := journal.NewIn(dir, journal.About{Target: "leaf1:9339", Profile: "simulated", Cell: 256, Want: want})
	report, err := w.Converge(ctx, &backendtest.Faulty{Backend: asic, DieAt: 1}, want, backend.Options{})
	fmt.Println(report.State, errors.Is(err, backendtest.ErrFault))

	open, err := journal.Reader{}.List(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, u := range open {
		push, err := journal.Reader{}.ReadFile(u.Journal)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(u.Target, "ended", push.Last.State)
		device := &journal.Registers{Backend: asic}
		if err := push.Resume(ctx, device, journal.Options{Undo: true}); err != nil {
			log.Fatal(err)
		}
		fmt.Println(device.State(), len(device.Report.Steps), "steps")
	}
	// Output:
	// unknown true
	// leaf1:9339 ended unknown
	// applied 16 steps
}
