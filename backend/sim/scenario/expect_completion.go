package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/document"
)

// ratio is a number in thousandths, such as a slowdown: "1.25".
var ratio = numberKind{parseRatio, func(n int64) string { return Measure(n).ratioText() }}

// parseRatio reads a decimal number with up to three places. The result is thousandths.
func parseRatio(text string) (int64, error) {
	whole, part, point := strings.Cut(strings.TrimSpace(text), ".")
	// The simulator keeps three places of a slowdown, so a comparison is exact. 50 bits keep the product of a ratio and a
	// time within 64.
	n, err := strconv.ParseUint(whole+(part + "000")[:3], 10, 50)
	if err != nil || whole == "" || len(part) > 3 || point && part == "" {
		return 0, fmt.Errorf("%q is not a ratio (want 2, <1.5, 1..2.125; at most three places)", text)
	}
	return int64(n), nil
}

// completionKeys are the expectations about an entry's completion. Times are in picoseconds; a slowdown is the time of
// a flow over its time alone in the network, in thousandths.
var completionKeys = []struct {
	key string
	of  numberKind
	got func(*Completion) int64
}{
	{"arrived", counted, func(c *Completion) int64 { return int64(c.Arrived) }},
	{"first_start", timed, func(c *Completion) int64 { return int64(c.First) }},
	{"last_arrival", timed, func(c *Completion) int64 { return int64(c.Last) }},
	{"mean", completed, func(c *Completion) int64 { return int64(c.Times.Mean) }},
	{"p50", completed, func(c *Completion) int64 { return int64(c.Times.P50) }},
	{"p99", completed, func(c *Completion) int64 { return int64(c.Times.P99) }},
	{"p99_9", completed, func(c *Completion) int64 { return int64(c.Times.P999) }},
	{"longest", completed, func(c *Completion) int64 { return int64(c.Times.Most) }},
	{"slowdown_mean", ratio, func(c *Completion) int64 { return int64(c.Slowdowns.Mean) }},
	{"slowdown_p50", ratio, func(c *Completion) int64 { return int64(c.Slowdowns.P50) }},
	{"slowdown_p99", ratio, func(c *Completion) int64 { return int64(c.Slowdowns.P99) }},
	{"slowdown_p99_9", ratio, func(c *Completion) int64 { return int64(c.Slowdowns.P999) }},
}

// completed is a time that may be unknown.
var completed = numberKind{timed.parse, func(n int64) string { return Measure(n).timeText() }}

// expectCompletion reads expectations about how long the flows of an entry take.
// A number that is unknown is as large as no bound, so it meets none from above.
func (r *reader) expectCompletion(v *document.Value) {
	accepted := []string{"entry"}
	for _, k := range completionKeys {
		accepted = append(accepted, k.key)
	}
	f := v.Fields(accepted...)
	v.Need(f, "entry")
	// Need has complained.
	if f["entry"] == nil {
		return
	}
	// A flow without an end never completes: a question about its time has no answer.
	name := f["entry"].Text()
	flows, ok := r.entries[name]
	if !ok || len(flows) > 0 && !r.ends(flows[0]) {
		f["entry"].Refuse("the name of an entry of flows or collectives, whose flows have an end")
		return
	}
	for _, k := range completionKeys {
		r.number(f[k.key], k.of, "of "+name, func(res *Result) int64 {
			// Every entry whose flows have an end has a completion, as was checked above.
			i := slices.IndexFunc(res.Completions, func(c Completion) bool { return c.Entry == name })
			return k.got(&res.Completions[i])
		})
	}
}

// ends tells whether a flow has an end. One flow speaks for its entry, whose flows differ in nothing that decides
// this.
func (r *reader) ends(i int) bool {
	f := &r.s.Network.Flows[i]
	return f.Size > 0 || len(f.Sender.Trace) > 0
}
