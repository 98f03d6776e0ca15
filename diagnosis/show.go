package diagnosis

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// The tables of SONiC's show commands have a title, a line of names, a line of dashes, and a line for each port:
//
//	Ingress headroom per PG:
//	     Port    PG0    PG1    PG2 ...
//	---------  -----  -----  ----- ...
//	Ethernet0      0      0      0 ...
//
// show pfc counters has no title: its first column is "Port Rx" or "Port Tx". The lines of show pfcwd stats are queues,
// PORT:NUMBER, with their storms as DETECTED/RESTORED in the third column.

// titles are the beginnings of the titles of tables that are read.
var titles = []struct {
	begins string
	is     quantity
}{
	{"Ingress headroom per PG", headroomMark},
	{"Ingress shared pool occupancy per PG", sharedMark},
	{"Ingress PG dropped packets", drops},
}

// poolTitle is the title of show headroom-pool watermark, whose lines are POOL BYTES.
const poolTitle = "Headroom pool maximum occupancy"

// showReader reads the lines of show commands.
type showReader struct {
	*collector
	title   quantity // of the last title; quantities: none that is read
	pool    bool     // the last title is the one of the headroom pool
	queues  bool     // in the table of show pfcwd stats
	columns []int    // the groups of the columns of the present table; nil: not in a table
	is      quantity // what the present table counts
}

// readShow reads the tables in a text, and passes over everything else.
func (c *collector) readShow(data []byte) error {
	r := &showReader{collector: c, title: quantities}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if err := r.line(strings.TrimSpace(string(line))); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// line reads one line.
func (r *showReader) line(text string) error {
	fields := strings.Fields(text)
	switch {
	case text == "":
		r.columns, r.queues = nil, false
	case strings.Trim(text, "- ") == "":
	case strings.HasSuffix(text, ":") || strings.Contains(text, ": (Namespace"):
		r.begin(text)
	case fields[0] == "Port":
		return r.header(fields[1:])
	case strings.HasPrefix(strings.Join(fields, " "), watchdogHeader):
		r.columns, r.pool, r.queues = nil, false, true
	case r.queues:
		return r.watchdogLine(fields)
	case r.pool && len(fields) == 2 && fields[0] != "Pool":
		return r.setText("", 0, poolMark, fields[1], false)
	case r.columns != nil:
		return r.row(fields)
	}
	return nil
}

// begin reads a title. The tables below a title that is not known are passed over.
func (r *showReader) begin(text string) {
	r.title, r.columns, r.queues, r.pool = quantities, nil, false, strings.HasPrefix(text, poolTitle)
	for _, t := range titles {
		if strings.HasPrefix(text, t.begins) {
			r.title = t.is
		}
	}
}

// header reads the names of the columns: PG0 to PG15 below a title, PFC0 to PFC7 behind Rx or Tx.
func (r *showReader) header(names []string) error {
	r.columns, r.is, r.pool, r.queues = nil, r.title, false, false
	prefix := "PG"
	if len(names) > 0 && (names[0] == "Rx" || names[0] == "Tx") {
		r.is = pauseReceived
		if names[0] == "Tx" {
			r.is = pauseSent
		}
		names, prefix = names[1:], "PFC"
	}
	if r.is == quantities {
		return nil // a table of something else
	}
	var columns []int
	for _, name := range names {
		digits, found := strings.CutPrefix(name, prefix)
		n, err := strconv.Atoi(digits)
		if !found || err != nil || n < 0 || n > 255 {
			if prefix == "PFC" {
				return nil // a table with other columns
			}
			return fmt.Errorf("column %q: want %s0, %s1 and so on", name[:min(len(name), 40)], prefix, prefix)
		}
		columns = append(columns, n)
	}
	r.columns = columns
	return nil
}

// row reads the line of a port.
func (r *showReader) row(fields []string) error {
	if len(fields) != len(r.columns)+1 {
		// A prompt or another output ends the table.
		if strings.ContainsAny(fields[0], "@$#>") || len(fields) < 2 {
			r.columns = nil
			return nil
		}
		return fmt.Errorf("%d values for %d columns", len(fields)-1, len(r.columns))
	}
	for i, text := range fields[1:] {
		if err := r.setText(fields[0], r.columns[i], r.is, text, false); err != nil {
			return fmt.Errorf("%s, column %d: %w", fields[0][:min(len(fields[0]), 80)], i+1, err)
		}
	}
	return nil
}

// watchdogHeader is the beginning of the names of the columns of show pfcwd stats.
const watchdogHeader = "QUEUE STATUS STORM DETECTED/RESTORED"

// watchdogLine reads the storms of a queue. Another line ends the table.
func (r *showReader) watchdogLine(fields []string) error {
	at := strings.LastIndexByte(fields[0], ':')
	queue, err := strconv.Atoi(fields[0][at+1:])
	if at <= 0 || err != nil || queue < 0 || queue > 255 || len(fields) < 3 {
		r.queues = false
		return nil
	}
	detected, _, found := strings.Cut(fields[2], "/")
	if !found {
		return fmt.Errorf("%s: %q: want DETECTED/RESTORED", fields[0][:min(at, 80)], fields[2][:min(len(fields[2]), 40)])
	}
	return r.setText(fields[0][:at], queue, storms, detected, false)
}
