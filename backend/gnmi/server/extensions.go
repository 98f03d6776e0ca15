package server

import (
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
	return status.Errorf(codes.Unimplemented, "extension %T: this switch knows commit, in Set", e.GetExt())
}

// commitExtension returns the commit extension of a Set, or nil.
func commitExtension(all []*gnmi_ext.Extension) (*gnmi_ext.Commit, error) {
	var found *gnmi_ext.Commit
	for _, e := range all {
		c := e.GetCommit()
		switch {
		case c == nil:
			return nil, unknownExtension(e)
		case found != nil:
			return nil, status.Error(codes.InvalidArgument, "two commit extensions: accepted: one")
		case c.GetId() == "":
			return nil, status.Error(codes.InvalidArgument,
				"commit extension: no id: accepted: one that the confirmation repeats")
		case c.GetAction() == nil:
			return nil, status.Error(codes.InvalidArgument,
				"commit extension: no action: accepted: commit, confirm, cancel, set_rollback_duration")
		}
		found = c
	}
	return found, nil
}

// defaultRollback is the time to confirm where the extension gives none, as gNMI
// prescribes it (gnmi-commit-confirmed.md 3.2.1).
const defaultRollback = 10 * time.Minute

// rollbackDuration reads the time to confirm. Zero is refused: it would undo the Set at
// once.
func rollbackDuration(d *durationpb.Duration) (time.Duration, error) {
	if err := d.CheckValid(); err != nil {
		return 0, status.Errorf(codes.InvalidArgument, "rollback_duration: %v", err)
	}
	if d.AsDuration() <= 0 {
		return 0, status.Errorf(codes.InvalidArgument, "rollback_duration %v: accepted: more than 0s", d.AsDuration())
	}
	return d.AsDuration(), nil
}
