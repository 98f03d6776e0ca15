package capacity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// Question is a question of how far something can go.
type Question string

// The questions.
const (
	Cable     Question = "cable"     // of each entry: the longest cable of its ports, all else as it is
	CableAll  Question = "cable-all" // the longest cable, if every port has it
	Ports     Question = "ports"     // of each entry: the most ports like its own, all else as it is
	Classes   Question = "classes"   // the most lossless priorities
	MTU       Question = "mtu"       // the longest frame that every port can have
	Pool      Question = "pool"      // the smallest shared headroom pool
	Ratio     Question = "ratio"     // the largest ratio of a headroom pool that holds the worst case of all its groups
	Frame     Question = "frame"     // the shortest frame that may fill the headroom
	Placement Question = "placement" // where the ports whose pipe is not given fit best
)

// Questions lists all questions in the order in which they are answered.
func Questions() []Question {
	return []Question{Cable, CableAll, Ports, Classes, MTU, Pool, Ratio, Frame, Placement}
}

// QuestionNames lists their names.
func QuestionNames() []string {
	return grouped.Each(Questions(), func(q Question) string { return string(q) })
}

// ParseQuestions reads the names of questions.
func ParseQuestions(names ...string) (out []Question, err error) {
	for _, name := range names {
		if !slices.Contains(Questions(), Question(name)) {
			return nil, fmt.Errorf("%q is not a question (want %s)", name, strings.Join(QuestionNames(), ", "))
		}
		out = append(out, Question(name))
	}
	return out, nil
}

// Entry is ports of an intent that are alike and follow each other: an entry of a topology's ports.
type Entry struct {
	Text  string // as the topology says them
	First int    // index of the first
	Count int
}

// Outcome says what kind of answer a question has.
type Outcome string

// The states.
const (
	Found Outcome = "found"
	// NoneFits says that not even the smallest value fits. Binding says why.
	NoneFits Outcome = "none"
	// NotAsked says that the question has no meaning for this switch. Why says so.
	NotAsked Outcome = "not-asked"
)

// Answer is the answer to one question.
type Answer struct {
	Question Question
	Ports    string // the entry; empty: of the whole switch
	State    Outcome
	Why      string // of NotAsked

	// Amount is the answer if it is Found: a length for the cables, bytes for frames and pools, else a count. For
	// Placement it is the number of ports that fit.
	Amount int64
	// Binding is what refuses one step more. Kind Range: cellwarden asks for nothing further.
	Binding Constraint
	// Next is what refuses one step more if Binding did not, and NextAmount the answer then; zero: not known, or nothing.
	Next       Constraint
	NextAmount int64

	Way   string // of Placement: its name
	Pipes []int  // of Placement: the pipe of every port

	at, beyond func() buffer.Intent
}

// At returns the intent with the answer, which fits; without ports if nothing does. It is made when it is asked for:
// the intents of five hundred entries with as many ports are large.
func (a *Answer) At() buffer.Intent { return made(a.at) }

// Beyond returns the intent that is one step further and is refused; without ports if the answer is the last one.
func (a *Answer) Beyond() buffer.Intent { return made(a.beyond) }

func made(intent func() buffer.Intent) buffer.Intent {
	if intent == nil {
		return buffer.Intent{}
	}
	return intent()
}

// always returns one intent.
func always(in buffer.Intent) func() buffer.Intent { return func() buffer.Intent { return in } }

// Kind is what an amount counts.
type Kind int

// The kinds.
const (
	Count Kind = iota
	Length
	Bytes
)

// Kind returns what the amount of the question counts.
func (q Question) Kind() Kind {
	switch q {
	case Cable, CableAll:
		return Length
	case MTU, Pool, Frame:
		return Bytes
	default:
		return Count
	}
}

// Text prints an amount of the question with its unit.
func (q Question) Text(amount int64) string {
	switch q.Kind() {
	case Length:
		return unit.Length(amount).String()
	case Bytes:
		return unit.Bytes(amount).String()
	default:
		return fmt.Sprint(amount)
	}
}

// Value prints the answer with its unit: "1.2km", "none", "-" for a question that was not asked.
func (a *Answer) Value() string {
	switch {
	case a.State == NoneFits:
		return "none"
	case a.State == NotAsked:
		return "-"
	case a.Question == Placement:
		return a.Way
	default:
		return a.Question.Text(a.Amount)
	}
}

// Ask answers the questions, all of them if none is named, in the order of [Questions] and of the entries. Every answer
// was planned, and so was the step beyond it, which is refused. The error is that of an intent that is invalid or
// cannot be sized; one that does not fit has answers.
func Ask(in buffer.Intent, entries []Entry, only ...Question) ([]Answer, error) {
	return AskUntil(func() error { return nil }, in, entries, only...)
}

// AskUntil is Ask that ends when stop returns an error, such as the Err of a context, and returns that error. stop is
// called between the intents that are planned: of a switch with hundreds of ports every few milliseconds.
func AskUntil(stop func() error, in buffer.Intent, entries []Entry, only ...Question) ([]Answer, error) {
	a, err := buffer.NewAdmission(in)
	if err != nil {
		return nil, err
	}
	k := newAsker(in, a)
	k.stop = stop
	out := k.ask(entries, only)
	if k.err != nil {
		return nil, k.err
	}
	return out, nil
}

// ask answers the questions.
func (k *asker) ask(entries []Entry, only []Question) []Answer {
	ofEntry := map[Question]func(Entry) Answer{Cable: k.cable, Ports: k.ports}
	ofSwitch := map[Question]func() Answer{CableAll: k.cableAll, Classes: k.classes, MTU: k.mtu, Pool: k.pool,
		Ratio: k.ratio, Frame: k.frame, Placement: k.placement}
	out := []Answer{}
	for _, q := range Questions() {
		if len(only) > 0 && !slices.Contains(only, q) {
			continue
		}
		if whole := ofSwitch[q]; whole != nil && !k.ended() {
			out = append(out, whole())
		} else if whole == nil {
			for _, e := range entries {
				if !k.ended() {
					out = append(out, ofEntry[q](e))
				}
			}
		}
	}
	return out
}

// asker answers questions about one intent.
type asker struct {
	in        buffer.Intent
	admission *buffer.Admission

	worlds map[without]*world // the switch without some of its limits
	known  map[step]bool      // what fits, of entries that are alike
	groups map[likeness]int   // of entries that are alike, from 1
	like   []int              // the ports of a question of more of them, and
	pipe   []int              // their pipes: room that all such questions use
	stop   func() error
	err    error // of stop: no intent is planned any more, and the answers are thrown away
	slow   bool  // every value of every search is planned: what tests compare with
}

// lossless tells whether any class is lossless.
func (k *asker) lossless() bool {
	return slices.ContainsFunc(k.in.Classes, func(c buffer.Class) bool { return c.Lossless })
}

// notAsked is the answer to a question without meaning.
func notAsked(q Question, why string) Answer { return Answer{Question: q, State: NotAsked, Why: why} }
