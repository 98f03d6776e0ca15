package server

import (
	"cmp"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// noExtensions refuses the extensions of a request that may have none. To ignore them
// would promise something, such as a rollback, that does not happen.
func noExtensions(all []*gnmi_ext.Extension) error {
	for _, e := range all {
		return unknownExtension(e)
	}
	return nil
}

// unknownExtension is the error about an extension that this switch does not implement.
func unknownExtension(e *gnmi_ext.Extension) error {
	return status.Errorf(codes.Unimplemented, "extension %T: this switch knows commit and master_arbitration, in Set",
		e.GetExt())
}

// extensions are those of a Set that this switch implements; nil where the Set has none. A client that sends neither
// gets a Set that takes effect for good, from any sender.
type extensions struct {
	commit      *gnmi_ext.Commit
	arbitration *gnmi_ext.MasterArbitration
}

// setExtensions reads the extensions of a Set, each at most once. An extension that is not
// implemented is UNIMPLEMENTED, as the documents of the extensions have it: history and depth say so, and a
// commit that is ignored would leave configuration in place that its sender expects to go.
func setExtensions(all []*gnmi_ext.Extension) (out extensions, err error) {
	for _, e := range all {
		switch ext := e.GetExt().(type) {
		case *gnmi_ext.Extension_Commit:
			if out.commit != nil {
				return out, status.Error(codes.InvalidArgument, "two commit extensions: want one")
			}
			out.commit, err = ext.Commit, checkCommit(ext.Commit)
		case *gnmi_ext.Extension_MasterArbitration:
			if out.arbitration != nil {
				return out, status.Error(codes.InvalidArgument, "two master_arbitration extensions: want one")
			}
			out.arbitration, err = ext.MasterArbitration, checkArbitration(ext.MasterArbitration)
		default:
			err = unknownExtension(e)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// checkCommit refuses a commit extension without an id or an action.
func checkCommit(c *gnmi_ext.Commit) error {
	switch {
	case c.GetId() == "":
		return status.Error(codes.InvalidArgument,
			"commit extension: no id: want one that the confirmation repeats")
	case c.GetAction() == nil:
		return status.Error(codes.InvalidArgument,
			"commit extension: no action: want commit, confirm, cancel, set_rollback_duration")
	}
	return nil
}

// defaultRollback is the time to confirm where the extension gives none, as gNMI
// prescribes it (gnmi-commit-confirmed.md 3.2.1).
const defaultRollback = 10 * time.Minute

// rollbackDuration reads the time to confirm. Zero is refused: it would undo the Set at
// once. An absent duration is a question of the caller: in a new commit it means defaultRollback, in a change of it
// an error.
func rollbackDuration(d *durationpb.Duration) (time.Duration, error) {
	if err := d.CheckValid(); err != nil {
		return 0, status.Errorf(codes.InvalidArgument, "rollback_duration: %v", err)
	}
	if d.AsDuration() <= 0 {
		return 0, status.Errorf(codes.InvalidArgument, "rollback_duration %v: want more than 0s", d.AsDuration())
	}
	return d.AsDuration(), nil
}

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
