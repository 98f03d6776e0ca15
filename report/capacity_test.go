package report_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// A document has the amount of each answer in its own unit, and no amount where there is none.
func TestCapacityDocument(t *testing.T) {
	in := intent(6, 2*unit.Kilometre)
	answers, err := capacity.Ask(in, []capacity.Entry{{Text: "Ethernet1/1-6", Count: 6}})
	require.NoError(t, err)
	a, err := buffer.NewAdmission(in)
	require.NoError(t, err)
	d := report.Capacity(in, a, answers)
	require.Equal(t, report.DoesNotFit, d.Verdict)
	require.Len(t, d.Answers, len(capacity.Questions()))
	amounts := map[string]int{}
	for _, a := range d.Answers {
		n := 0
		for _, there := range []bool{a.ValueM != nil, a.ValueB != nil, a.ValueN != nil} {
			if there {
				n++
			}
		}
		require.Equal(t, a.State == "found", n == 1, a.Question)
		require.Equal(t, a.State == "not-asked", a.Binding == "", a.Question)
		amounts[a.State]++
	}
	require.Positive(t, amounts["found"])
	for metres, want := range map[report.Metres]string{
		report.Metres(300 * unit.Metre): "300", 0: "0", report.Metres(unit.Metre / 2): "0.5", 1: "0.001", 1010: "1.01",
	} {
		text, err := json.Marshal(metres)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
}
