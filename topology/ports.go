package topology

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
)

const rangeForm = `a range such as "Ethernet1/1-32", "Ethernet0-124/4" (every fourth), or several with commas`

// ExpandPorts lists the interface names that a range stands for: a prefix, the first and the last number, and a step
// after a slash; several ranges are separated by commas. A name without a range stands for itself. A range of more than
// buffer.MaxPorts is refused before its names are made: a typing error can make it billions.
func ExpandPorts(text string) ([]string, error) {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		names, err := expandOne(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if out = append(out, names...); len(out) > buffer.MaxPorts {
			return nil, fmt.Errorf("%q is more than %d ports", text, buffer.MaxPorts)
		}
	}
	return out, nil
}

// expandOne lists the names of one range, or the one name.
func expandOne(text string) ([]string, error) {
	dash := strings.LastIndexByte(text, '-')
	if text == "" {
		return nil, fmt.Errorf("an empty name (accepted: %s)", rangeForm)
	}
	if dash < 0 || !allDigits(text[dash+1:], "/") {
		return []string{text}, nil
	}
	start := len(strings.TrimRight(text[:dash], "0123456789"))
	end, step, stepped := strings.Cut(text[dash+1:], "/")
	first, err1 := strconv.Atoi(text[start:dash])
	last, err2 := strconv.Atoi(end)
	every, err3 := 1, error(nil)
	if stepped {
		every, err3 = strconv.Atoi(step)
	}
	malformed := start == dash || err1 != nil || err2 != nil || err3 != nil || last < first || every < 1
	if malformed || (last-first)/every >= buffer.MaxPorts {
		return nil, fmt.Errorf("%q is not a range of ports (accepted: %s)", text, rangeForm)
	}
	var out []string
	for n := first; n <= last; n += every {
		out = append(out, text[:start]+strconv.Itoa(n))
	}
	return out, nil
}

// allDigits tells whether the text is made of digits and the extra characters, and begins with a digit. An interface
// may have a dash in its name, et-0/0/0: what follows the last dash decides whether it is a range.
func allDigits(text, extra string) bool {
	return text != "" && text[0] >= '0' && text[0] <= '9' && strings.Trim(text, "0123456789"+extra) == ""
}
