package diagnosis

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// columnsOf are the columns that a CSV file may have in any order, beside port and group, which have to be there. What
// ends in _cells is in cells. bytes_in and bytes_out are those of the port, equal in all of its lines. An empty field
// is not known.
var columnsOf = map[string]quantity{
	"headroom_watermark_bytes": headroomMark, "headroom_watermark_cells": headroomMark,
	"shared_watermark_bytes": sharedMark, "shared_watermark_cells": sharedMark,
	"watermark_bytes": totalMark, "watermark_cells": totalMark,
	"dropped_packets": drops, "pause_sent": pauseSent, "pause_received": pauseReceived,
	"paused_us": pausedTime, "storms_detected": storms, "bytes_in": bytesIn, "bytes_out": bytesOut,
}

// isCSV tells whether a text begins with a line of such columns.
func isCSV(data []byte) bool {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	names := strings.Split(strings.TrimSpace(string(line)), ",")
	return slices.Contains(names, "port") && slices.Contains(names, "group")
}

// readCSV reads a file with a line for each group.
func (c *collector) readCSV(data []byte) error {
	r := csv.NewReader(bytes.NewReader(data))
	header, err := r.Read()
	if err != nil {
		return err
	}
	at := map[string]int{}
	for i, name := range header {
		_, known := columnsOf[name]
		if _, twice := at[name]; twice || !known && name != "port" && name != "group" {
			return fmt.Errorf("column %q: want each of these at most once: port, group, %s", name[:min(len(name), 40)],
				strings.Join(slices.Sorted(maps.Keys(columnsOf)), ", "))
		}
		at[name] = i
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err // it names the line
		}
		line, _ := r.FieldPos(0)
		if err := c.csvRow(row, header, row[at["port"]], row[at["group"]]); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// csvRow reads the line of a group.
func (c *collector) csvRow(row, header []string, port, group string) error {
	n, err := strconv.Atoi(group)
	if err != nil || n < 0 || n > 255 {
		return fmt.Errorf("group %q: want 0 to 255", group[:min(len(group), 40)])
	}
	for i, name := range header {
		q, counted := columnsOf[name]
		if !counted {
			continue
		}
		if err := c.setText(port, n, q, row[i], strings.HasSuffix(name, "_cells")); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
