package server

import (
	"errors"
	"strings"

	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// A lenient switch stores configuration that it cannot act on, and says so in its log. It
// finds out what that is by trying: the translation complains, the subjects of the complaints
// are removed from what the device acts on, and the translation is tried again.

// ignore removes the subjects of complaints from what the device acts on. If there is
// nothing at the path of a complaint, because something is missing, the nearest node
// above it is removed: without a max-threshold there is no curve. done is false if
// nothing could be removed. It changes the copy for the device only. The client reads back what it wrote.
func (r *translation) ignore(err error) (done bool, failure error) {
	var bad *buffer.InvalidError
	if !errors.As(err, &bad) {
		return false, nil
	}
	if err := r.copyConfig(); err != nil {
		return false, err
	}
	var round []ignoredConfig
	for _, c := range bad.Complaints {
		if path := removeNearest(r.device, c.Path); path != "" {
			round = append(round, ignoredConfig{storedOnly, path, c.String()})
		}
	}
	r.noteIgnored(round)
	return len(round) > 0, nil
}

// noteIgnored adds what one round has removed. If that contains what an earlier round
// removed, it is a consequence of it: the earlier entry gets the new path and keeps its
// reason. A path that is removed may take with it what others complained of: a profile with its queues. Only the
// cause is logged.
func (r *translation) noteIgnored(round []ignoredConfig) {
	taken := map[string]bool{} // by path; true: the consequence of an earlier entry
	for _, a := range round {
		taken[a.path] = false
	}
	for i, b := range r.ignored {
		for path := b.path; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
			if _, now := taken[path]; now {
				r.ignored[i].path, taken[path] = path, true
				break
			}
		}
	}
	for _, a := range round {
		if !taken[a.path] {
			r.ignored = append(r.ignored, a)
		}
	}
}

// removeNearest removes the node at a path, or else the nearest one above it. It returns
// the path of what it has removed; empty if there is nothing. The root and the first element stay: to remove /qos as
// a whole would hide everything that is right in it.
func removeNearest(tree *oc.Root, path string) string {
	p, err := ygot.StringToStructuredPath(path)
	if err != nil {
		return ""
	}
	for ; len(p.Elem) > 1; p.Elem = p.Elem[:len(p.Elem)-1] {
		n, err := findNode(nil, p)
		if err != nil || n.severalMatch {
			return ""
		}
		found, err := ytypes.GetNode(root(), tree, n.path)
		if err != nil || len(found) == 0 || isAbsent(found[0].Data) {
			continue
		}
		remove(tree, n)
		return n.String()
	}
	return ""
}

// logIgnored logs the configuration that the device does not act on, each path once as
// long as it stays.
func (s *Server) logIgnored(before *translation) {
	logged := map[ignoredConfig]bool{}
	for _, a := range before.ignored {
		logged[a] = true
	}
	for _, a := range s.translation.ignored {
		if !logged[a] {
			s.opt.Log.Warn(a.what, "path", a.path, "why", a.why)
			logged[a] = true
		}
	}
}

// ignoredConfig is configuration of a client that the device does not act on. The log has a warning for each, so that
// the user of a lenient switch knows which part of a test has no effect. Two that are equal are one line of the log,
// so that the fields are what is compared.
type ignoredConfig struct {
	what string // storedOnly, storedDangling or notStored
	path string // of what is ignored, in the client's names
	why  string
}

// What becomes of ignored configuration, as the log says it.
const (
	storedOnly     = "stored and not acted on"
	storedDangling = "stored, a reference to nothing"
	notStored      = "not stored, not in the models of this switch"
)
