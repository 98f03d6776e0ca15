package risk

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file reads the behaviour that a question states.

// read reads the question.
func (q *Question) read() (*stated, error) {
	// One behaviour at a time: they are models of one thing, and adding them up would count pauses twice.
	count := 0
	byPart, byPauses := q.Paused.IsGiven(), q.Pauses.IsGiven() || q.PauseTime.IsGiven()
	byEgress, byMarks := q.Congested.IsGiven() || q.FanIn.IsGiven(), q.Watermarks.IsGiven()
	for _, given := range []bool{byPart, byPauses, byEgress, byMarks} {
		if given {
			count++
		}
	}
	switch {
	case count > 1:
		return nil, q.errOne()
	// Written so that NaN is refused too. 0 would need a pool for all groups at once, which is no risk, and 1 accepts
	// everything.
	case !(q.Target > 0 && q.Target < 1):
		return nil, fmt.Errorf("%s %v (want above 0 and below 1)", q.name("accepted-risk"), q.Target)
	// The sampler draws groups independently, so it checks the two behaviours that are independent.
	case q.Trials != 0 && !byPart && !byPauses:
		return nil, fmt.Errorf("%s: accepted with %s or %s", q.name("trials"), q.name("paused"), q.name("pauses"))
	}
	s := &stated{Question: q}
	s.on = func(*buffer.Intent) (Behaviour, error) {
		return Apart(func(p *Pool) (float64, error) { return p.Independent(s.part) }), nil
	}
	// The sentence of the behaviour repeats the text of the option, so that a reader finds what was typed.
	var err error
	switch {
	case byPart:
		s.part, err = q.fraction("paused", q.Paused.Or(""))
		s.sentence = "each group is paused for " + q.Paused.Or("") + " of the time, independently"
	case byPauses:
		err = s.readPauses()
	case byEgress:
		err = s.readEgress()
	case byMarks:
		s.marks, err = readMarks(q.File, q.Watermarks.Or(nil))
		s.sentence, s.on = "each group brings one of its watermarks of "+q.File, s.asMeasured
	}
	return s, err
}

// readPauses reads the paused part from a number of pauses in a second, as a switch counts them, and their length.
func (s *stated) readPauses() error {
	pauses, name := s.Pauses.Or(0), s.name("pauses")
	length, err := unit.ParseTime(s.PauseTime.Or(""))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", s.name("pause-time"), err)
	case !(pauses >= 0) || math.IsInf(pauses, 0):
		return fmt.Errorf("%s %v (want 0 or more in a second)", name, pauses)
	}
	s.part = pauses * float64(length) / float64(unit.Second)
	// Pauses that fill a second are one pause, and not as many as are counted.
	if s.part >= 1 {
		return fmt.Errorf("%s %v of %s %v: %.4g%% of the time (want less than 100%%)", name, pauses,
			s.name("pause-time"), length, 100*s.part)
	}
	s.sentence = fmt.Sprintf("each group pauses %v times in a second for %v, independently: %s of the time", pauses,
		length, report.Probability(s.part))
	return nil
}

// readEgress reads the behaviour of congested egress ports.
func (s *stated) readEgress() error {
	text, fanIn := s.Congested.Or(""), s.FanIn.Or(0)
	congested, err := s.fraction("congested", text)
	if fanIn < 1 {
		err = errors.Join(err, fmt.Errorf("%s %d (want 1 or more senders)", s.name("fan-in"), fanIn))
	}
	s.sentence = fmt.Sprintf("each egress port is congested for %s of the time, and then pauses %d senders", text, fanIn)
	s.on = func(in *buffer.Intent) (Behaviour, error) { return CommonEgress(len(in.Ports), congested, fanIn), nil }
	return err
}

// fraction reads a part of the time: 0.1%, 0.001, 1e-4.
func (q *Question) fraction(option, text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if percent {
		x /= 100
	}
	// Written so that NaN is refused. 0 and 1 are accepted: never and always are answers that can be checked by hand.
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("%s %.200q (want a part of the time, such as 0.1%% or 0.001)", q.name(option), text)
	}
	return x, nil
}

// watermark is a line of a file of watermarks: a group, and the cells of its headroom that it used.
type watermark struct {
	Group
	line int
}

// readMarks reads CSV with the columns port, group and cells.
func readMarks(name string, data []byte) (out []watermark, err error) {
	r := csv.NewReader(bytes.NewReader(data))
	// port, group, cells; one row for each watermark, and many rows for one group are many periods.
	r.FieldsPerRecord = 3
	for n := 1; ; n++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w (want the columns port, group, cells)", name, err)
		}
		if n == 1 {
			if first := strings.Join(row, ","); first != "port,group,cells" {
				return nil, fmt.Errorf("%s:1: %.200q (want a first line port,group,cells)", name, first)
			}
			continue
		}
		line, _ := r.FieldPos(0)
		// A port has eight groups. 0 cells is a period in which the group used no headroom, and counts as one.
		group, err1 := strconv.Atoi(row[1])
		count, err2 := strconv.ParseInt(row[2], 10, 64)
		if err1 != nil || err2 != nil || group < 0 || group > 7 || count < 0 || count > int64(buffer.MaxCells) {
			return nil, fmt.Errorf("%s:%d: group %.20q, cells %.20q (want a group of 0 to 7, and cells from 0 on)", name,
				line, row[1], row[2])
		}
		out = append(out, watermark{Group{Port: row[0], Group: group, Cells: cells.Count(count)}, line})
	}
	// Every group would have its worst case then, which is another behaviour than the one that was asked for.
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no watermark", name)
	}
	return out, nil
}
