package server

import (
	"cmp"

	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Several clients may want to configure one switch. One of them is the master at a time. Each sends its
// election id with every Set, and the client with the highest id is the master of its role
// (gnmi-master-arbitration.md). The ids are kept in this process only.

// election is an election id of 128 bits. An absent half is 0 in protobuf, so that the smallest id is 0:0.
type election struct{ high, low uint64 }

// maxRoles bounds the roles that are kept, because any client can bring new ones.
const maxRoles = 1024

// checkArbitration refuses an extension without an election id.
func checkArbitration(a *gnmi_ext.MasterArbitration) error {
	if a.GetElectionId() == nil {
		return status.Error(codes.InvalidArgument, "master_arbitration extension: no election_id: want one")
	}
	if n := len(a.GetRole().GetId()); n > maxName {
		return status.Errorf(codes.InvalidArgument, "master_arbitration extension: a role of %d bytes: want at most %d",
			n, maxName)
	}
	return nil
}

// arbitrate accepts a Set of the master of its role, or of a new master, whose id is higher. A
// Set without the extension is accepted (section 3.2). The caller has setLock.
func (s *Server) arbitrate(a *gnmi_ext.MasterArbitration) error {
	if a == nil {
		return nil
	}
	role := a.GetRole().GetId() // without a role: the default role, whose id is empty
	id := election{a.GetElectionId().GetHigh(), a.GetElectionId().GetLow()}
	// An equal id is the master again: clients send theirs with every Set.
	highest, known := s.masters[role]
	switch {
	case !known && len(s.masters) >= maxRoles:
		return status.Errorf(codes.ResourceExhausted, "%d roles have a master: want no more roles", maxRoles)
	case known && cmp.Or(cmp.Compare(id.high, highest.high), cmp.Compare(id.low, highest.low)) < 0:
		return status.Errorf(codes.PermissionDenied,
			"election id %d:%d (high:low) of role %q is not the one of the master: the highest is %d:%d",
			id.high, id.low, role, highest.high, highest.low)
	}
	s.masters[role] = id
	return nil
}
