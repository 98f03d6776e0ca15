package tables

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Names are what a reader needs of the fabric.
type Names struct {
	// First is added to the numbers of nodes, for tables that these nodes had at another time.
	First int
	// Ports returns the ports of a node by the name of an interface, or by that of a neighbour; none: it names neither.
	Ports func(node int, name string) []int32
	// Node returns the node of a name, for the plain text.
	Node func(name string) (int, bool)
	// Outside tells whether an interface leads out of the fabric.
	Outside func(name string) bool
	// Wanted tells whether routes to a prefix are of lossless traffic.
	Wanted func(netip.Prefix) bool
}

// reader reads one dump.
type reader struct {
	*Set
	*stream
	Names
	node    int
	known   map[string]int32  // the list of ports of a text of interfaces, which repeats
	bundles map[string]string // comma lists of the ports of bundles and VLANs
	later   []late            // routes by groups and bundles, which may come after them
	groups  map[string]*appl
	vrf     bool // within the default VRF of a dump by VRF
}

// late is a route of APPL_DB, in the words of the dump.
type late struct {
	*appl
	prefix netip.Prefix
	line   int
}

func (s *Set) reader(node int, file string, from io.Reader, names Names) *reader {
	s.files = append(s.files, file)
	r := &reader{Set: s, stream: &stream{from: bufio.NewReaderSize(from, 1<<16), file: file, line: 1}, Names: names,
		node: node, known: map[string]int32{}, bundles: map[string]string{}, groups: map[string]*appl{}}
	r.Decoder = json.NewDecoder(r.stream)
	r.UseNumber()
	return r
}

// Read reads the dump of one switch: APPL_DB or FRR, told by its keys.
func (s *Set) Read(node int, file string, from io.Reader, names Names) error {
	r := s.reader(node, file, from, names)
	if node += names.First; s.own[node] == nil {
		s.own[node] = []entry{} // a table without routes is one
	}
	first, err := r.token()
	if list := first == json.Delim('['); list { // as SONiC's programs load tables: objects with one key, and OP
		for err == nil && r.More() {
			if first, err = r.token(); err == nil {
				err = r.members(first, r.member)
			}
		}
		if err == nil {
			_, err = r.token()
		}
	} else if err == nil {
		err = r.members(first, r.member)
	}
	for i := 0; i < len(r.later) && err == nil; i++ {
		err = r.resolve(&r.later[i])
	}
	return err
}

// member reads one key of a dump with its value.
func (r *reader) member(key string) error {
	table, rest, keyed := strings.Cut(key, ":")
	switch p, err := Prefix(key); {
	case table == "ROUTE_TABLE":
		return r.route(rest)
	case table == "NEXTHOP_GROUP_TABLE":
		f, err := r.fields()
		r.groups[rest] = f
		return err
	case table == "LAG_MEMBER_TABLE", table == "VLAN_MEMBER_TABLE":
		bundle, port, _ := strings.Cut(rest, ":")
		// A VLAN or a bundle can have hundreds of members, each in an entry of its own.
		r.bundles[bundle] = strings.TrimPrefix(r.bundles[bundle]+","+port, ",")
	case err == nil:
		return r.frr(p)
	}
	first, err := r.token()
	switch {
	case err != nil:
		return err
	case first != json.Delim('{') || keyed || strings.HasSuffix(table, "_TABLE"):
	case key == "default" && !r.vrf: // show ip route vrf all json: once more by VRF
		r.vrf = true
		err = r.members(first, r.member)
		r.vrf = false
		return err
	default:
		r.notes["routes and more of other VRFs than the default one are left out"]++
	}
	return r.skip(first)
}

// Prefix reads a prefix; an address alone is one of full length. The error says what is accepted.
func Prefix(text string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked(), nil
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, errors.New("want a prefix, such as 10.0.0.0/8")
	}
	return netip.PrefixFrom(a, a.BitLen()), nil
}

// appl is a route or a group of APPL_DB. The object "value" in it has the fields in dumps of redis-dump and
// sonic-db-dump, which nest once more.
type appl struct {
	Hops      string `json:"nexthop"`
	Ports     string `json:"ifname"`
	Group     string `json:"nexthop_group"`
	Blackhole string `json:"blackhole"`
	Value     *appl  `json:"value"`
}

// fields reads an object of APPL_DB.
func (r *reader) fields() (f *appl, err error) {
	if err := r.Decode(&f); err != nil || f == nil {
		return nil, r.told(cmp.Or(err, errors.New("null (want an object of JSON)")))
	}
	for f.Value != nil {
		f = f.Value
	}
	return f, nil
}

// route reads a route of APPL_DB.
func (r *reader) route(key string) error {
	f, err := r.fields()
	if err != nil {
		return err
	}
	if p, err := Prefix(key); err != nil {
		r.notes["routes of other VRFs than the default one are left out"]++
	} else if r.Wanted(p) {
		r.later = append(r.later, late{f, p, r.line})
	}
	return nil
}

// resolve makes a route of APPL_DB an entry.
func (r *reader) resolve(l *late) error {
	r.line = l.line
	if l.Group != "" {
		g, known := r.groups[l.Group]
		if !known {
			return r.fail("nexthop_group %s is not in the dump (want NEXTHOP_GROUP_TABLE, too)", fielderr.Quote(l.Group))
		}
		l.Hops, l.Ports = g.Hops, g.Ports
	}
	if l.Blackhole == "true" {
		l.Ports = ""
	}
	return r.add(l.prefix, strings.Split(l.Hops, ","), strings.Split(l.Ports, ","))
}

// add adds an entry of the node: the interfaces by which it sends, each with the address of its next hop, which may be
// absent; no addresses: each is one of a next hop.
func (r *reader) add(p netip.Prefix, via, names []string) error {
	key := strconv.Itoa(r.node) + strings.Join(via, ",") + " " + strings.Join(names, ",")
	group, known := r.known[key]
	if !known {
		var out []int32
		for i, name := range names {
			// An interface without a next hop is the switch's own network, whose frames leave the fabric or end here if no
			// cable is known. Both lists of APPL_DB have the same order.
			connected := via != nil && (i >= len(via) || via[i] == "" || via[i] == "0.0.0.0" || via[i] == "::")
			some := r.ports(name)
			if len(some) == 0 && !connected && name != "" && !r.Outside(name) {
				return r.fail("no cable of the fabric is at %s (want a cable with this port, its members in the "+
					"dump, or its name in outside)", fielderr.Quote(name))
			}
			if out = append(out, some...); len(out) > maxPorts {
				return r.fail("a route by more than %d ports (want fewer)", maxPorts)
			}
		}
		group = r.group(out)
		r.known[key] = group
	}
	return r.Set.add(r.First+r.node, p, entry{group: group, file: int32(len(r.files) - 1), line: int32(r.line)})
}

// ports returns the ports of an interface: of itself, or of the members of a bundle; none: it leads out of the fabric.
func (r *reader) ports(name string) (out []int32) {
	if r.Outside(name) {
		return nil
	}
	if out = r.Ports(r.node, name); len(out) == 0 {
		for member := range strings.SplitSeq(r.bundles[name], ",") {
			out = append(out, r.Ports(r.node, member)...)
		}
	}
	return out
}

// frr reads the routes of FRR to a prefix: those that are selected, and of these the next hops that are in the FIB.
func (r *reader) frr(p netip.Prefix) error {
	var routes []struct {
		Selected bool `json:"selected"`
		Nexthops []struct {
			FIB       bool   `json:"fib"`
			IP        string `json:"ip"`
			Interface string `json:"interfaceName"`
		} `json:"nexthops"`
	}
	if err := r.Decode(&routes); err != nil || !r.Wanted(p) {
		return r.told(err)
	}
	for _, route := range routes {
		if !route.Selected {
			continue
		}
		via, names := []string{}, []string{}
		for _, h := range route.Nexthops {
			if h.FIB && h.Interface != "" {
				via, names = append(via, h.IP), append(names, h.Interface)
			}
		}
		return r.add(p, via, names)
	}
	return nil
}

// ReadText reads the tables of any switches from lines: a switch, a prefix, and the neighbours or ports by which frames
// leave it; none: they leave the fabric there. A # begins a comment.
func (s *Set) ReadText(file string, from io.Reader, names Names) error {
	r := s.reader(0, file, from, names)
	// Lines are read from the file itself: the buffer of the reader is for JSON.
	scan := bufio.NewScanner(from)
	scan.Buffer(nil, 1<<16)
	for ; scan.Scan(); r.line++ {
		text, _, _ := strings.Cut(scan.Text(), "#")
		f := strings.Fields(text)
		if len(f) == 0 {
			continue
		}
		var known bool
		if r.node, known = names.Node(f[0]); !known || len(f) < 2 {
			return r.fail("%s (want NODE PREFIX NEIGHBOUR..., of a switch of the fabric)", fielderr.Quote(text))
		}
		p, err := Prefix(f[1])
		if err != nil {
			return r.fail("%s (%w)", fielderr.Quote(f[1]), err)
		}
		if !names.Wanted(p) {
			continue
		}
		if err := r.add(p, nil, f[2:]); err != nil {
			return err
		}
	}
	if err := scan.Err(); err != nil {
		return r.fail("%w (want lines of at most 65536 bytes)", err)
	}
	return nil
}

// Bounds of a dump: a value of which something is read, in bytes, and the levels of one of which nothing is.
const (
	maxValue = 1 << 20
	maxDepth = 16
)

// stream reads a JSON text value by value, so that a dump of any length needs the memory of one route.
type stream struct {
	*json.Decoder
	from  io.Reader
	file  string
	line  int     // of the last token
	read  int64   // bytes that the decoder has got
	feeds []int64 // the places of the line feeds among them that are behind the last token
}

// Read gives the decoder its text. Within a value it goes no further than one may be long.
func (s *stream) Read(p []byte) (int, error) {
	if s.read-s.InputOffset() > maxValue {
		return 0, fmt.Errorf("a value of more than %d bytes (want fewer)", maxValue)
	}
	n, err := s.from.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			s.feeds = append(s.feeds, s.read+int64(i))
		}
	}
	s.read += int64(n)
	return n, err
}

// fail names the line of what is wrong.
func (s *stream) fail(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", s.file, s.line, fmt.Errorf(format, args...))
}

// told places what a decoder says.
func (s *stream) told(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return s.fail("the file ends within this value (want the whole dump)")
	}
	return s.fail("%w (want a dump in JSON)", err)
}

// token reads the next token: a bracket, a key, or a value without parts.
func (s *stream) token() (json.Token, error) {
	t, err := s.Token()
	for ; len(s.feeds) > 0 && s.feeds[0] < s.InputOffset(); s.feeds = s.feeds[1:] {
		s.line++
	}
	return t, s.told(err)
}

// members calls each with every key of an object whose first token was read. It has to read the value.
func (s *stream) members(first json.Token, each func(key string) error) (err error) {
	if first != json.Delim('{') {
		return s.fail("%s (want an object of JSON)", fielderr.Quote(fmt.Sprint(first)))
	}
	for err == nil && s.More() {
		var key json.Token
		if key, err = s.token(); err == nil {
			err = each(key.(string)) // the decoder takes no other key
		}
	}
	if err == nil {
		_, err = s.token()
	}
	return err
}

// skip reads the rest of a value whose first token was read. It may have any length.
func (s *stream) skip(t json.Token) (err error) {
	for depth := 0; err == nil; t, err = s.token() {
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth > maxDepth {
			return s.fail("more than %d levels (want fewer)", maxDepth)
		}
	}
	return err
}
