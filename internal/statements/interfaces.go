package statements

import (
	"strconv"
	"strings"
)

// mostInterfaces is the largest number of interfaces that one statement may name: a modular switch has fewer.
const mostInterfaces = 4096

// interfaceKinds are the kinds of interfaces that have queues, in the order in which a shortened name is looked for.
var interfaceKinds = []string{"Ethernet", "port-channel"}

// Interfaces returns the names of the ports and port channels that the words of a statement name, in the form
// Ethernet1/1 and port-channel10: names may be shortened (eth1/1, po10), separated from their number (Ethernet 1/1),
// listed with commas and ranged in their last number (Ethernet1/1-4). None: another interface, or a subinterface.
func Interfaces(words []string) (out []string) {
	kind := ""
	for part := range strings.SplitSeq(strings.ToLower(strings.Join(words, "")), ",") {
		digits := strings.IndexAny(part, "0123456789")
		if digits < 0 {
			return nil
		}
		// An element of a list need not repeat the kind of the one before it.
		if kind = kindOf(part[:digits], kind); kind == "" || !ranged(&out, kind, part[digits:]) {
			return nil
		}
	}
	return out
}

// Bounds of what the statements of a text may name together with their ranges: ports and port channels, and their
// names.
const mostPorts, mostNamed = 1 << 14, 1 << 18

// EachInterface calls with the statements at the top that name ports or port channels, and these. The call returns how
// many the text has named by then, each once. Statements beyond the bounds are left out, and stay unread.
func EachInterface(root *Statement, call func(s *Statement, names []string) int) {
	total, distinct := 0, 0
	for _, s := range root.Under {
		if !s.Begins("interface") || total > mostNamed {
			continue
		}
		names := Interfaces(s.Words[1:])
		if total += len(names); len(names) > 0 && distinct+len(names) <= mostPorts {
			distinct = call(s, names)
		}
	}
}

// SpellOut writes out the word interface of the statements at the top, where it is shortened as the command line of
// NX-OS and EOS accepts it: int eth1/1.
func SpellOut(root *Statement) {
	const whole, least = "interface", len("int")
	for _, s := range root.Under {
		if word := s.Word(0); len(word) >= least && word != whole && strings.HasPrefix(whole, word) {
			s.Words[0] = whole
		}
	}
}

// kindOf returns the kind of interface that a text begins the name of. Without a text it is the last one; "": none.
func kindOf(text, last string) string {
	if text == "" {
		return last
	}
	for _, k := range interfaceKinds {
		if strings.HasPrefix(strings.ToLower(k), text) {
			return k
		}
	}
	return ""
}

// ranged adds the names of a range such as 1/1-4, 1/1-1/4 or 49/1; false: it is none.
func ranged(out *[]string, kind, text string) bool {
	first, end, isRange := strings.Cut(text, "-")
	if !numbered(first) {
		return false
	}
	if !isRange {
		*out = append(*out, kind+first)
		return len(*out) <= mostInterfaces
	}
	at := strings.LastIndexByte(first, '/') + 1
	end = end[strings.LastIndexByte(end, '/')+1:]
	low, bad := strconv.Atoi(first[at:])
	high, worse := strconv.Atoi(end)
	if bad != nil || worse != nil || high < low || high-low >= mostInterfaces-len(*out) {
		return false
	}
	for n := low; n <= high; n++ {
		*out = append(*out, kind+first[:at]+strconv.Itoa(n))
	}
	return true
}

// numbered tells whether a text is numbers with / between them.
func numbered(text string) bool {
	for part := range strings.SplitSeq(text, "/") {
		if _, err := strconv.ParseUint(part, 10, 16); err != nil {
			return false
		}
	}
	return true
}
