package sonicfake

import (
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// blocks refuses paths that the list of blocked ones covers or is beneath: DATABASE /TABLE/KEY/FIELD, of which * is any
// name, and a * at the end of a name any rest of it (pkg/pathblacklist/pathblacklist.go, overlaps, elemMatch).
func (s *Switch) blocks(prefix *gpb.Path, paths ...*gpb.Path) error {
	for _, p := range paths {
		database, names := named(prefix, p)
		for _, line := range s.Blocked {
			of, path, _ := strings.Cut(line, " /")
			var list []string
			if path != "" {
				list = strings.Split(path, "/")
			}
			if (of == "*" || of == database) && overlap(list, names) {
				return status.Error(codes.PermissionDenied, "request path is blocked by policy")
			}
		}
	}
	return nil
}

// named is the database and what follows it: of the origin sonic-db they are the first name, and what follows the
// namespace (gnmi_server/paths_blacklist.go, normalizeRequestPath).
func named(prefix, p *gpb.Path) (database string, names []string) {
	for _, part := range []*gpb.Path{prefix, p} {
		for _, e := range part.GetElem() {
			names = append(names, e.GetName())
		}
	}
	if prefix.GetOrigin() != "sonic-db" && p.GetOrigin() != "sonic-db" || len(names) == 0 {
		return prefix.GetTarget(), names
	}
	return names[0], names[min(2, len(names)):]
}

// overlap tells whether one path begins with the other.
func overlap(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		x, anyX := strings.CutSuffix(a[i], "*")
		y, anyY := strings.CutSuffix(b[i], "*")
		if a[i] != b[i] && !(anyX && strings.HasPrefix(y, x)) && !(anyY && strings.HasPrefix(x, y)) {
			return false
		}
	}
	return true
}
