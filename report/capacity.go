package report

import (
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// CapacityDocument is the answers to questions about a topology.
type CapacityDocument struct {
	Schema  string `json:"schema"`
	Verdict string `json:"verdict"` // of the topology as it is, as that of its plan
	Fits    bool   `json:"fits"`    // the topology as it is
	// HeadroomShared qualifies the verdict: see PlanDocument.
	HeadroomShared string           `json:"headroom_shared,omitempty"`
	RestsOn        []string         `json:"rests_on,omitempty"` // as Chip of PlanDocument
	Set            []string         `json:"set,omitempty"`      // changes of the topology
	Answers        []CapacityAnswer `json:"answers"`
}

// CapacityAnswer is the answer to one question. One of the three amounts is there if State is "found".
type CapacityAnswer struct {
	Question string `json:"question"`
	Ports    string `json:"ports"` // as the topology says them; empty: the whole switch
	// State is "found", "none" if not even the smallest value fits, or "not-asked" if the question has no meaning here.
	State  string      `json:"state"`
	Why    string      `json:"why,omitempty"` // of "not-asked"
	Value  string      `json:"value"`         // with its unit; of a placement its name; "none" or "-" without one
	ValueM *Metres     `json:"value_m,omitempty"`
	ValueB *unit.Bytes `json:"value_bytes,omitempty"`
	ValueN *int64      `json:"value_count,omitempty"`
	// Binding is what refuses one step more: the limit, a colon, and the refusal. Limit is the limit alone.
	Binding string `json:"binding"`
	Limit   string `json:"binding_limit"`
	// Next is what would refuse one step more without the binding limit, and NextValue the answer then. Empty: not
	// known, or nothing would.
	Next      string `json:"next"`
	NextLimit string `json:"next_limit,omitempty"`
	NextValue string `json:"next_value,omitempty"`
	Pipes     []int  `json:"pipes,omitempty"` // of a placement: of every port, in the order of the topology
}

// Metres is a length that is written in metres.
type Metres unit.Length

// MarshalJSON writes whole metres without a point: 300, 0.5.
func (m Metres) MarshalJSON() ([]byte, error) {
	whole, rest := int64(m)/int64(unit.Metre), int64(m)%int64(unit.Metre)
	text := strconv.FormatInt(whole, 10)
	if rest > 0 {
		text += strings.TrimRight("."+strconv.FormatInt(int64(unit.Metre)+rest, 10)[1:], "0")
	}
	return []byte(text), nil
}

// UnmarshalJSON reads a number of metres; less than a millimetre is refused.
func (m *Metres) UnmarshalJSON(data []byte) error {
	l, err := unit.ParseLength(string(data) + "m")
	*m = Metres(l)
	return err
}

// Capacity returns the document of answers about an intent and its admission.
func Capacity(in buffer.Intent, a *buffer.Admission, answers []capacity.Answer) CapacityDocument {
	d := CapacityDocument{
		Schema:  Schema("capacity"),
		RestsOn: in.Chip.RestsOn(),
		Verdict: DoesNotFit,
		Fits:    a.Fits(),

		HeadroomShared: headroomShared(a.SharedHeadroom()),

		Answers: grouped.Each(answers, capacityAnswer),
	}
	if d.Fits {
		if d.Verdict = Fits; capacity.AsPlaced(in, a) {
			d.Verdict = FitsAsPlaced
		}
	}
	return d
}

func capacityAnswer(a capacity.Answer) CapacityAnswer {
	out := CapacityAnswer{Question: string(a.Question), Ports: a.Ports, State: string(a.State), Why: a.Why,
		Value: a.Value(), Binding: a.Binding.String(), Limit: string(a.Binding.Limit), Next: a.Next.String(),
		NextLimit: string(a.Next.Limit), Pipes: a.Pipes}
	if a.Next.Limit != "" && a.NextAmount > 0 {
		out.NextValue = a.Question.Text(a.NextAmount)
	}
	if a.State != capacity.Found {
		return out
	}
	switch a.Question.Kind() {
	case capacity.Length:
		out.ValueM = new(Metres(a.Amount))
	case capacity.Bytes:
		out.ValueB = new(unit.Bytes(a.Amount))
	default:
		out.ValueN = new(a.Amount)
	}
	return out
}
