package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Task is what the main thread of a page did without a turn of anything else, such as a picture or a key.
type Task struct {
	CPU   time.Duration
	Parts []string // what it was made of: events of a millisecond and more, with their processor times
}

// traced is an event of Chromium's trace. Times are in microseconds, TDur that of the processor.
type traced struct {
	Name          string
	Tid           int
	TS, Dur, TDur int64
	Args          json.RawMessage
}

// Tasks returns the tasks of the page's main thread while use runs, the longest first, by the processor time that they
// took: a machine that is busy with other programs changes it little.
func (b *Tab) Tasks(use func()) []Task {
	b.t.Helper()
	var mu sync.Mutex
	var events []traced
	done := make(chan struct{})
	ctx, stop := context.WithCancel(b.ctx) // of this listener alone
	defer stop()
	require.NoError(b.t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, v := range e.Value {
				var one traced
				if json.Unmarshal(v, &one) == nil {
					events = append(events, one)
				}
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	}))
	call(b, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{
		IncludedCategories: []string{"toplevel", "devtools.timeline", "__metadata"}}})
	use()
	call(b, tracing.End, cdp.Empty{})
	<-done
	threads := map[int]bool{} // the main threads of pages
	for _, e := range events {
		if e.Name == "thread_name" && strings.Contains(string(e.Args), "CrRendererMain") {
			threads[e.Tid] = true
		}
	}
	var out []Task
	for _, e := range events {
		if e.Name == "ThreadControllerImpl::RunTask" && threads[e.Tid] {
			out = append(out, Task{CPU: micro(e.TDur), Parts: parts(e, events)})
		}
	}
	slices.SortStableFunc(out, func(a, b Task) int { return cmp.Compare(b.CPU, a.CPU) })
	return out
}

// micro is a number of microseconds.
func micro(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// parts names the events within a task that took a millisecond or more.
func parts(task traced, events []traced) (out []string) {
	for _, e := range events {
		if e.Tid == task.Tid && e.TS > task.TS && e.TS < task.TS+task.Dur && e.TDur >= 1000 {
			out = append(out, fmt.Sprintf("%s %v", e.Name, micro(e.TDur)))
		}
	}
	return out
}
