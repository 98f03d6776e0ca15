package pictures_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/cellwarden/cellwarden/unit"
)

// simulated is what the picture takes from the JSON of a run.
type simulated struct {
	Delivered int64 `json:"frames_delivered"`
	Drops     int64
	Pauses    int64 `json:"pause_sent"`
	End       int64 `json:"end_ps"`
}

// moment is what a priority group holds at a time.
type moment struct{ at, reserved, shared, headroom int64 }

// limited is the part that the group's limit compares.
func (m moment) limited() int64 { return m.reserved + m.shared }

// traced is what the picture takes from the trace of a run.
type traced struct {
	group     []moment
	xoff, xon []moment
	paused    map[string][]span // by host
}

// span is a time from one picosecond to another.
type span struct{ from, to int64 }

// readTrace reads what happens to the group of one port of the switch, and when its neighbours are paused.
func readTrace(t *testing.T, file, port string, end int64) *traced {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	out := &traced{paused: map[string][]span{}}
	since := map[string]int64{}
	for _, row := range rows[1:] {
		number := func(name string) int64 {
			n, err := strconv.ParseInt(row[column[name]], 10, 64)
			require.NoError(t, err)
			return n
		}
		at, where := number("time_ps"), row[column["port"]]
		switch event := row[column["event"]]; {
		case event == "paused":
			if _, already := since[where]; !already {
				since[where] = at
			}
		case event == "resumed":
			out.paused[where] = append(out.paused[where], span{since[where], at})
			delete(since, where)
		case where != port:
		case event == "enqueued", event == "departed", event == "xoff-sent", event == "xon-sent":
			m := moment{at, number("reserved_cells"), number("shared_cells"), number("headroom_cells")}
			switch event {
			case "xoff-sent":
				out.xoff = append(out.xoff, m)
			case "xon-sent":
				out.xon = append(out.xon, m)
			}
			out.group = append(out.group, m)
		}
	}
	for where, at := range since {
		out.paused[where] = append(out.paused[where], span{at, end})
	}
	return out
}

// TestPictureOfRun draws a simulation of the same plan: what the group of one
// port holds, and when the hosts are paused.
func TestPictureOfRun(t *testing.T) {
	plan := readmePlan(t)
	var result simulated
	trace := filepath.Join(t.TempDir(), "trace.csv")
	out := cellwarden(t, "sim", "examples/scenarios/planned-switch.yaml", "--until", "300us",
		"--trace", trace, "-o", "json")
	require.NoError(t, json.Unmarshal(out, &result))
	run := readTrace(t, trace, "s1:h1", result.End)
	require.Len(t, run.paused, 16)

	const height vg.Length = 386
	p := newPicture(height)
	p.write(titleStyle(), inset, height-22, "A run: the same plan in the simulator")
	p.write(style(small, pale, text.XLeft), inset, height-44,
		"16 hosts send to one host at 100G. %s frames delivered, %d dropped, %d pause frames sent in %d us.",
		unit.Thousands(result.Delivered), result.Drops, result.Pauses, result.End/1e6)
	c := chart{p, height - 230, height - 84, result.End, 3000}
	c.grid()
	c.group(run)
	c.limits(run, plan.Shared.Largest)
	c.legend()
	c.pauses(run)
	keep(t, "pictures/run.svg", p.file(t))
}

// chart is a part of a picture with time to the right and cells upward.
type chart struct {
	*picture
	bottom, top vg.Length
	end, most   int64
}

func (c *chart) x(at int64) vg.Length {
	return axisLeft + (axisRight-axisLeft)*vg.Length(at)/vg.Length(c.end)
}

func (c *chart) y(cells int64) vg.Length {
	return c.bottom + (c.top-c.bottom)*vg.Length(cells)/vg.Length(c.most)
}

// grid draws both axes; that of time stands at the foot of the picture.
func (c *chart) grid() {
	for cells := int64(0); cells <= c.most; cells += 1000 {
		c.stroke(gridColour, 0.7, nil, vg.Point{X: axisLeft, Y: c.y(cells)}, vg.Point{X: axisRight, Y: c.y(cells)})
		c.write(style(small, pale, text.XRight), axisLeft-6, c.y(cells), "%s", unit.Thousands(cells))
	}
	for at := int64(0); at <= c.end; at += 50e6 {
		c.stroke(gridColour, 0.7, nil, vg.Point{X: c.x(at), Y: 30}, vg.Point{X: c.x(at), Y: c.top})
		label, align := fmt.Sprint(at/1e6), text.XCenter
		if at+50e6 > c.end {
			label, align = label+" us", text.XRight
		}
		c.write(style(small, pale, align), c.x(at), 18, "%s", label)
	}
}

// group draws the cells that the group holds: shared ones below, headroom on top.
func (c *chart) group(run *traced) {
	var shared, all []vg.Point
	for i, m := range run.group {
		if i > 0 { // the step: until now the group held what it held before
			shared = append(shared, vg.Point{X: c.x(m.at), Y: shared[len(shared)-1].Y})
			all = append(all, vg.Point{X: c.x(m.at), Y: all[len(all)-1].Y})
		}
		shared = append(shared, vg.Point{X: c.x(m.at), Y: c.y(m.limited())})
		all = append(all, vg.Point{X: c.x(m.at), Y: c.y(m.limited() + m.headroom)})
	}
	for _, layer := range []struct {
		colour color.Color
		points []vg.Point
	}{{headroomColour, all}, {sharedColour, shared}} {
		first, last := layer.points[0], layer.points[len(layer.points)-1]
		corners := []vg.Point{{X: axisRight, Y: last.Y}, {X: axisRight, Y: c.bottom}, {X: first.X, Y: c.bottom}}
		c.area(layer.colour, append(layer.points, corners...)...)
	}
}

// limits draws how much headroom the group may use and uses, and when the switch asks for a pause and for its end.
func (c *chart) limits(run *traced, granted int64) {
	var most moment
	for _, m := range run.group {
		if m.headroom > most.headroom {
			most = m
		}
	}
	first := run.xoff[0]
	end := c.y(first.limited() + granted)
	c.stroke(pauseColour, 1.2, []vg.Length{5, 3}, vg.Point{X: c.x(first.at), Y: end}, vg.Point{X: axisRight, Y: end})
	c.label(style(small, pauseColour, text.XRight), axisRight-6, end-11,
		fmt.Sprintf("limit of the group's headroom: %s cells", unit.Thousands(granted)))
	c.label(style(small, ink, text.XLeft), c.x(most.at)+8, c.y(most.limited()+most.headroom)+10,
		unit.Thousands(most.headroom)+" cells of headroom in use")
	for _, m := range run.xoff {
		c.triangle(c.x(m.at), c.y(m.limited()), -1, pauseColour)
	}
	for _, m := range run.xon {
		c.triangle(c.x(m.at), c.y(m.limited()), 1, xonColour)
	}
}

// legend stands above the chart.
func (c *chart) legend() {
	y := c.top + 16
	x := c.key(axisLeft, y, sharedColour, "reserved and shared cells of the group of port s1:h1")
	x = c.key(x, y, headroomColour, "its headroom cells")
	c.triangle(x+6, y-6, -1, pauseColour)
	x = c.name(x, y, "XOFF sent")
	c.triangle(x+6, y+5, 1, xonColour)
	c.name(x, y, "XON sent")
}

// label writes text on a ground that hides the grid.
func (c *chart) label(s text.Style, x, y vg.Length, words string) {
	left := x + vg.Length(s.XAlign)*s.Width(words)
	c.rect(left-3, y-7, left+s.Width(words)+3, y+8, paper)
	c.write(s, x, y, "%s", words)
}

// pauses draws a row for each host with the times at which it is paused.
func (c *chart) pauses(run *traced) {
	const row vg.Length = 5
	y := c.bottom - 36
	c.label(style(small, ink, text.XLeft), axisLeft+4, y+14, "when the hosts are paused")
	for n := 1; n <= len(run.paused); n++ {
		name := fmt.Sprintf("h%d", n)
		if n == 1 || n%8 == 0 {
			c.write(style(small, pale, text.XRight), axisLeft-6, y-row/2, "%s", name)
		}
		for _, s := range run.paused[name] {
			c.rect(c.x(s.from), y-row+1, c.x(s.to), y, pauseColour)
		}
		y -= row
	}
}
