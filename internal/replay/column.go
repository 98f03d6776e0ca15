package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/columns"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Column is a column of llr_profile_lookup.ini beside speed and cable.
type Column int

// The columns, in the order in which a table is written.
const (
	Frames      Column = iota // most frames that are not acknowledged
	Bytes                     // most bytes that are not acknowledged
	Timer                     // nanoseconds
	replayCount               // replays without progress before a flush
	pcsLost                   // nanoseconds
	dataAge                   // nanoseconds
	ctlOS                     // bytes between acknowledgements
	initAction
	flushAction
	Columns // how many there are
)

// columnsOf are the names and bounds of the columns: SONiC, doc/llr, LLR_PROFILE. A file may have the name of CONFIG_DB
// in place of its own. The design's own example writes data_age_timer where its list of fields has data_age_timeout, so
// both are read.
var columnsOf = [Columns]struct {
	name, field, other string
	least, most        int64
	words              []string // the column has words in place of numbers
}{
	Frames:      {"outstanding_frames", "max_outstanding_frames", "", 0, 524_288, nil},
	Bytes:       {"outstanding_bytes", "max_outstanding_bytes", "", 0, 1<<32 - 1, nil},
	Timer:       {"replay_timer", "max_replay_timer", "", 0, 65_535, nil},
	replayCount: {"replay_count", "max_replay_count", "", 1, 255, nil},
	pcsLost:     {"pcs_lost_timeout", "", "", 0, 4_290_000_000, nil},
	dataAge:     {"data_age_timeout", "", "data_age_timer", 0, 4_290_000_000, nil},
	ctlOS:       {"ctlos_spacing", "ctlos_spacing_bytes", "", int64(LeastAckSpacing), int64(MostAckSpacing), nil},
	initAction:  {"init_action", "", "", 0, 2, actions},
	flushAction: {"flush_action", "", "", 0, 2, actions},
}

// actions are the words of the last two columns; a value is an index.
var actions = []string{"best_effort", "block", "discard"}

// String returns the name of the column in the file.
func (c Column) String() string {
	if c < 0 || c >= Columns {
		return fmt.Sprintf("column %d", int(c))
	}
	return columnsOf[c].name
}

// Bounds returns the least and the most value that SONiC accepts.
func (c Column) Bounds() (least, most int64) {
	return columnsOf[c].least, columnsOf[c].most
}

// parseColumn returns the column with a name.
func parseColumn(name string) (Column, error) {
	for c := range Columns {
		if name != "" && slices.Contains([]string{columnsOf[c].name, columnsOf[c].field, columnsOf[c].other}, name) {
			return c, nil
		}
	}
	var known []string
	for c := range Columns {
		known = append(known, c.String())
	}
	return 0, fmt.Errorf("column %s: want %s", fielderr.Quote(name), strings.Join(known, ", "))
}

// parse reads a value of the column.
func (c Column) parse(text string) (int64, error) {
	d := columnsOf[c]
	if d.words != nil {
		if i := slices.Index(d.words, text); i >= 0 {
			return int64(i), nil
		}
		return 0, fmt.Errorf("%s %s: want %s", d.name, fielderr.Quote(text), strings.Join(d.words, ", "))
	}
	return columns.WholeNumber(text, d.name, d.least, d.most)
}

// text returns a value of the column as a file has it.
func (c Column) text(v int64) string {
	if words := columnsOf[c].words; words != nil {
		return words[v]
	}
	return strconv.FormatInt(v, 10)
}
