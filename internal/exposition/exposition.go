// Package exposition keeps numbers with labels, and writes them in the text format of Prometheus (version 0.0.4). It is
// the part of a client library that the command needs. That of Prometheus also measures the process and the runtime,
// and prepares for it whenever a program starts; package backend/gnmi/metrics gives these numbers to it.
package exposition

import (
	"cmp"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Kind is what a number means over time.
type Kind string

// The kinds: what only grows, what has a value at each time, and counts of values up to bounds.
const (
	Counter   Kind = "counter"
	Gauge     Kind = "gauge"
	Histogram Kind = "histogram"
)

// Family is a metric: one number, or histogram, for each combination of values of its labels. It is safe for
// concurrent use. What is set before the first use does not change.
type Family struct {
	Name, Help string
	Kind       Kind
	Labels     []string
	Bounds     []float64 // of a histogram, ascending: the largest value that each bucket counts

	mu   sync.Mutex
	rows map[string]*Row
}

// Row is what a family has for some values of its labels.
type Row struct {
	Labels []string // the values, in the order of the family's labels
	Value  float64  // of a histogram: the sum of what was observed
	Count  uint64   // of a histogram: how many were observed
	Counts []uint64 // of a histogram: how many of them were at most the bound
}

// change changes the row of some values of the labels, which begins with zeros.
func (f *Family) change(labels []string, do func(*Row)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := strings.Join(labels, "\x00")
	if f.rows[key] == nil {
		if f.rows == nil {
			f.rows = map[string]*Row{}
		}
		f.rows[key] = &Row{Labels: slices.Clone(labels), Counts: make([]uint64, len(f.Bounds))}
	}
	do(f.rows[key])
}

// Add adds to a number.
func (f *Family) Add(n float64, labels ...string) { f.change(labels, func(r *Row) { r.Value += n }) }

// Set sets a number.
func (f *Family) Set(n float64, labels ...string) { f.change(labels, func(r *Row) { r.Value = n }) }

// Observe counts a value in a histogram.
func (f *Family) Observe(v float64, labels ...string) {
	f.change(labels, func(r *Row) {
		r.Value += v
		r.Count++
		for i, bound := range f.Bounds {
			if v <= bound {
				r.Counts[i]++
			}
		}
	})
}

// Forget deletes the rows whose first label has a value.
func (f *Family) Forget(first string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.rows, func(_ string, r *Row) bool { return r.Labels[0] == first })
}

// Rows returns copies of the rows, sorted by the values of their labels. A family without labels has one row always.
func (f *Family) Rows() []Row {
	if len(f.Labels) == 0 {
		f.Add(0)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []Row
	for _, r := range f.rows {
		row := *r
		row.Counts = slices.Clone(r.Counts)
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b Row) int { return slices.Compare(a.Labels, b.Labels) })
	return out
}

// Write writes families, sorted by their names. One without a row is left out.
func Write(to io.Writer, families ...*Family) error {
	families = slices.SortedFunc(slices.Values(families), func(a, b *Family) int { return cmp.Compare(a.Name, b.Name) })
	var b strings.Builder
	for _, f := range families {
		rows := f.Rows()
		if len(rows) > 0 {
			b.WriteString("# HELP " + f.Name + " " + escape(f.Help) + "\n# TYPE " + f.Name + " " + string(f.Kind) + "\n")
		}
		for _, r := range rows {
			f.write(&b, r)
		}
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// write writes a row: a line, or those of a histogram.
func (f *Family) write(b *strings.Builder, r Row) {
	var pairs []string
	for i, name := range f.Labels {
		pairs = append(pairs, name+`="`+strings.ReplaceAll(escape(r.Labels[i]), `"`, `\"`)+`"`)
	}
	slices.Sort(pairs)
	line := func(suffix, value string, more ...string) {
		b.WriteString(f.Name + suffix)
		if all := slices.Concat(pairs, more); len(all) > 0 {
			b.WriteString("{" + strings.Join(all, ",") + "}")
		}
		b.WriteString(" " + value + "\n")
	}
	if f.Kind != Histogram {
		line("", number(r.Value))
		return
	}
	for i, bound := range f.Bounds {
		line("_bucket", strconv.FormatUint(r.Counts[i], 10), `le="`+number(bound)+`"`)
	}
	line("_bucket", strconv.FormatUint(r.Count, 10), `le="+Inf"`)
	line("_sum", number(r.Value))
	line("_count", strconv.FormatUint(r.Count, 10))
}

// escape writes a text in one line.
func escape(text string) string { return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(text) }

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Handler answers requests with families.
func Handler(families ...*Family) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = Write(w, families...) // the client may be gone
	})
}
