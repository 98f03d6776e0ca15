package junos

import "github.com/cellwarden/cellwarden/internal/statements"

// rewriteRules reads the rewrite rules: their classes and code points. Which class the next switch gives a packet with
// another code point is not checked.
func (r *reader) rewriteRules() {
	for _, kind := range named(r.cos.Find("rewrite-rules")) {
		for _, n := range named(kind) {
			r.rewrites[kind.Word(0)+" "+n.Word(0)] = true
			object := "rewrite-rules " + kind.Word(0) + " " + n.Word(0)
			only(n.Find("import"))
			for _, of := range named(n.Find("forwarding-class")) {
				r.class(of.Word(0), of.Line, object)
				for _, loss := range of.Find("loss-priority").Active() {
					if !lossPriorities[loss.Word(0)] {
						continue
					}
					for _, word := range []string{"code-point", "code-points"} {
						for _, s := range named(loss.Read().Find(word)) {
							r.point(kind.Word(0), s, object)
						}
					}
				}
			}
		}
	}
	if len(r.rewrites) > 0 {
		r.Unknown = append(r.Unknown, "rewrite-rules change code points as packets leave: which class the next switch gives "+
			"them is not checked")
	}
}

// others reads what the class of service says of packets that no port brings: those of the switch itself, and those to
// several ports.
func (r *reader) others() {
	if s := r.cos.Find("host-outbound-traffic"); s != nil {
		r.named(s, "host-outbound-traffic")
		for _, word := range []string{"dscp-code-point", "ieee-802.1", "tcp", "protocol", "inet", "family"} {
			s.Find(word).ReadAll()
		}
	}
	if s := r.cos.Find("multi-destination"); s != nil {
		s.ReadAll()
		r.Unknown = append(r.Unknown, "multi-destination is not checked")
	}
}

// named checks the forwarding class that a statement names.
func (r *reader) named(s *statements.Statement, object string) {
	if n := s.Find("forwarding-class"); n != nil {
		r.class(only(n), n.Line, object)
	}
}
