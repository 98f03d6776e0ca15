package topology

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
)

// rangeForm is what a refusal says of ranges. The step is for switches whose port names count lanes: Ethernet0,
// Ethernet4, Ethernet8.
const rangeForm = `a range such as "Ethernet1/1-32", "Ethernet0-124/4" (every fourth), or several with commas`

// ExpandPorts lists the interface names that a text denotes. Between commas it has ranges and names. A range is a
// prefix, the first and the last number, and a step after a slash. A single name is itself. What looks like a range
// and has another form is refused, so that it does not become one port of that name.
func ExpandPorts(text string) ([]string, error) {
	var out []string
	// A part with digits in front is a bare number. People write "Ethernet1-4,7" for Ethernet7, which is a form of
	// other tools.
	bare, prefixed := "", ""
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		names, err := expandOne(part)
		if err != nil {
			return nil, err
		}
		if out == nil { // most texts have one part
			out = names
		} else {
			out = append(out, names...)
		}
		if len(out) > buffer.MaxPorts {
			return nil, tooMany(text)
		}
		if digit(names[0][0]) {
			bare = part
		} else {
			prefixed = part
		}
	}
	if bare != "" && prefixed != "" { // "Ethernet1-4,7" means Ethernet7, not a port of the name 7
		return nil, fmt.Errorf("%q is not a range of ports: %q has no prefix (want %s)", text, bare, rangeForm)
	}
	return out, nil
}

// expandRange is ExpandPorts for a text that must be more than one name. A range of one port is refused, because
// `name` says it better, and because it is often half of a range that was meant.
func expandRange(text string) ([]string, error) {
	names, err := ExpandPorts(text)
	if err == nil && len(names) == 1 && names[0] == text {
		return nil, notRange(text)
	}
	return names, err
}

// portName accepts the name of one port. A name that another tool would read as many ports is refused here and not in
// the intent, which has names alone and cannot know how they were written.
func portName(text string) (string, error) {
	if spelledAsRange(text) {
		return "", fmt.Errorf("%q is not the name of one port (want a name; ports of several names are a range)", text)
	}
	return text, nil // its alphabet is checked with the intent
}

// expandOne lists the names of one range, or the one name.
func expandOne(text string) ([]string, error) {
	if text == "" {
		return nil, fmt.Errorf("an empty name (want %s)", rangeForm)
	}
	// The last dash divides first and last number; the digits before it are the first number. What is left is the
	// prefix, and it may have dashes and slashes: et-0/0/1-4 is et-0/0/ from 1 to 4.
	dash := strings.LastIndexByte(text, '-')
	start := dash
	for start > 0 && digit(text[start-1]) {
		start--
	}
	if dash < 0 || start == dash || !allDigits(text[dash+1:], "/") {
		if !buffer.ValidPortName(text) || spelledAsRange(text) {
			return nil, notRange(text)
		}
		return []string{text}, nil
	}
	end, step, stepped := strings.Cut(text[dash+1:], "/")
	first, err1 := number(text[start:dash])
	last, err2 := number(end)
	every, err3 := 1, error(nil)
	if stepped {
		every, err3 = number(step)
	}
	prefix := text[:start]
	// A step after a slash is refused unless it ends at the last number: in Ethernet1/1-1/48 the slash is part of a name.
	odd := stepped && every == 1 && strings.HasSuffix(prefix, "/")
	one := text[:dash]
	// A span that runs backwards, a step that misses the last number, and a step that is wider than the span are
	// typing errors: each would leave out ports without a word.
	if err1 != nil || err2 != nil || err3 != nil || last < first || every < 1 || (last-first)%every != 0 || odd ||
		stepped && every > last-first || !buffer.ValidPortName(one) || spelledAsRange(one) {
		return nil, notRange(text)
	}
	// The count is known before any name is made: Ethernet1-999999999 is a short text.
	if (last-first)/every >= buffer.MaxPorts {
		return nil, tooMany(text)
	}
	return numbered(prefix, first, last, every), nil
}

// numbered returns the names of a range: the prefix with each number. They are parts of one text, so that a range costs
// two allocations.
func numbered(prefix string, first, last, every int) []string {
	out := make([]string, (last-first)/every+1)
	all := make([]byte, 0, len(out)*(len(prefix)+len(strconv.Itoa(last))))
	for n := first; n <= last; n += every {
		all = strconv.AppendInt(append(all, prefix...), int64(n), 10)
	}
	text := string(all)
	for i := range out {
		end := len(prefix) + 1
		for n := (first + i*every) / 10; n > 0; n /= 10 {
			end++
		}
		out[i], text = text[:end], text[end:]
	}
	return out
}

// notRange is the refusal of a text of another form. It says nothing of which rule the text breaks: most such texts are
// forms of other tools, and the examples show the one that is meant.
func notRange(text string) error {
	return fmt.Errorf("%q is not a range of ports (want %s; one port has a name)", text, rangeForm)
}

// tooMany is the refusal of more ports than any switch has.
func tooMany(text string) error {
	return fmt.Errorf("%q is more than %d ports (want at most %d)", text, buffer.MaxPorts, buffer.MaxPorts)
}

// number reads a number as port names have it. One with zeros in front is refused: its names would lose them.
func number(digits string) (int, error) {
	n, err := strconv.Atoi(digits)
	if err == nil && strconv.Itoa(n) != digits {
		return 0, strconv.ErrSyntax
	}
	return n, err
}

// spelledAsRange tells whether people write a range of ports like this: two dots, or a dash after a number and before a
// number or the same prefix, as in Ethernet1-48, swp1-48s0 and Ethernet1-Ethernet48. It has to err towards a range:
// one port of the name Ethernet1-48 would give a plan that fits, for a switch without its other ports.
func spelledAsRange(text string) bool {
	// Two dots are a range in other tools: 1..48.
	if strings.Contains(text, "..") {
		return true
	}
	if strings.IndexByte(text, '-') < 0 { // most names
		return false
	}
	// The prefix is the leading letters. Spelling in another case, as in Ethernet1-ethernet48, is still a range.
	prefix := text[:len(text)-len(strings.TrimLeft(text, letters))]
	for i := 1; i < len(text)-1; i++ {
		if text[i] != '-' || !digit(text[i-1]) {
			continue
		}
		if digit(text[i+1]) || prefix != "" && strings.HasPrefix(strings.ToLower(text[i+1:]), strings.ToLower(prefix)) {
			return true
		}
	}
	return false
}

// letters are those of the prefix of a port name: ASCII, as the alphabet of port names.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// digit is of ASCII alone: strconv reads no other digits.
func digit(c byte) bool { return c >= '0' && c <= '9' }

// allDigits tells whether the text is made of digits and the extra characters, and begins with a digit. An interface
// may have a dash in its name, et-0/0/0: what follows the last dash decides whether it is a range.
func allDigits(text, extra string) bool {
	return text != "" && digit(text[0]) && strings.Trim(text, "0123456789"+extra) == ""
}
