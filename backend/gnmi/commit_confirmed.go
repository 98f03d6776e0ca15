package gnmi

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/cellwarden/cellwarden/backend"
)

// confirmedCommits are the Sets that the switch undoes by itself unless they are
// confirmed in time (gnmi-commit-confirmed.md). In this package a commit is such a
// Set, and nothing else.
//
// Some switches ignore the extension and answer OK. So the client proves that the
// switch implements it before it relies on it: while a commit is pending, a second
// one with another id has to be refused with FAILED_PRECONDITION.
type confirmedCommits struct {
	*session
	support  commitSupport
	idPrefix string    // random, so that no other client has the same ids
	count    int       // how many ids were used
	pending  string    // the id of the commit that may be pending; empty: none is
	prefixOf *gpb.Path // the prefix of its Set; nil: OpenConfig's
	holds    holding   // whether the switch has what was committed
}

// sendingSet sends a Set once.
type sendingSet func(context.Context, *gpb.SetRequest) error

// holding reads the switch and tells whether it has what a Set makes.
type holding func(context.Context) (bool, error)

// commitSupport is whether a switch implements Commit-confirmed.
type commitSupport int

const (
	supportUnknown commitSupport = iota
	supported
	unsupported // the switch has no such extension, or ignores it
)

func newConfirmedCommits(s *session) confirmedCommits {
	var random [6]byte
	_, _ = rand.Read(random[:]) // it never fails
	return confirmedCommits{session: s, idPrefix: "cellwarden-" + hex.EncodeToString(random[:])}
}

// nextID is the id of the next commit; empty if the next Set makes none.
func (c *confirmedCommits) nextID() string {
	if c.opt.Rollback == 0 || c.support == unsupported {
		return ""
	}
	return fmt.Sprintf("%s-%d", c.idPrefix, c.count+1)
}

// attach makes a Set a commit, and tells whether it is a new one. A Set that is sent
// again keeps the id of the first, which may have arrived.
func (c *confirmedCommits) attach(request *gpb.SetRequest) (fresh bool) {
	id := c.nextID()
	if fresh = c.pending == ""; !fresh {
		id = c.pending
	}
	if id == "" {
		return fresh
	}
	if fresh {
		c.count++
		c.pending = id
	}
	c.prefixOf = request.Prefix
	request.Extension = extension(c.begin(id))
	return fresh
}

// begin is the extension's message that begins a commit.
func (c *confirmedCommits) begin(id string) *gnmi_ext.Commit {
	request := &gnmi_ext.CommitRequest{RollbackDuration: durationpb.New(c.opt.Rollback)}
	return &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Commit{Commit: request}}
}

// confirmation is the extension's message that confirms a commit.
func confirmation(id string) *gnmi_ext.Commit {
	return &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}}
}

func extension(commit *gnmi_ext.Commit) []*gnmi_ext.Extension {
	return []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Commit{Commit: commit}}}
}

// set sends a Set as a commit, if the switch may implement Commit-confirmed, and
// without the extension if it answers that it does not. send sends it once. holds
// tells whether the switch has what the Set makes.
func (c *confirmedCommits) set(ctx context.Context, request *gpb.SetRequest, send sendingSet, holds holding) error {
	c.holds = holds
	fresh := c.attach(request)
	err := send(ctx, request)
	if codeOf(err) == codes.Unimplemented && request.Extension != nil && c.support == supportUnknown {
		c.log.Info("the switch has no commit-confirmed", "target", c.name)
		c.support, request.Extension = unsupported, nil
		err = send(ctx, request)
	}
	failed := c.failure("Set", err)
	if fresh && errors.Is(failed, backend.ErrRefused) {
		c.pending = "" // a Set that is refused begins no commit
	} else if failed == nil {
		c.prove(ctx)
	}
	return failed
}

// prove sends a second, empty commit while one is pending. A switch that accepts it
// ignores the extension. Both commits are confirmed then, so that a switch that
// implements it after all undoes neither.
func (c *confirmedCommits) prove(ctx context.Context) {
	if c.pending == "" || c.support != supportUnknown {
		return
	}
	other := c.pending + "-proof"
	err := c.sendExtension(ctx, c.begin(other))
	switch {
	case codeOf(err) == codes.FailedPrecondition:
		c.support = supported
		return
	case err != nil && passing(err):
		return // still unknown: it is proved with the next commit
	}
	for _, id := range []string{other, c.pending} {
		_ = c.sendExtension(ctx, confirmation(id))
	}
	c.support, c.pending = unsupported, ""
}

// sendExtension sends a Set that has nothing but the extension.
func (c *confirmedCommits) sendExtension(ctx context.Context, commit *gnmi_ext.Commit) error {
	_, err := retried(ctx, c.session, func(ctx context.Context) (*gpb.SetResponse, error) {
		request := &gpb.SetRequest{Prefix: cmp.Or(c.prefixOf, c.prefix()), Extension: extension(commit)}
		return c.stub.Set(ctx, request, c.opt.limits()...)
	})
	return err
}

// confirm makes the pending commit permanent. FAILED_PRECONDITION means that the
// switch has no pending commit: an earlier confirmation arrived and its answer was
// lost, or the time ran out. The switch is read to find out which.
func (c *confirmedCommits) confirm(ctx context.Context) error {
	if c.pending == "" {
		return nil
	}
	err := c.sendExtension(ctx, confirmation(c.pending))
	if codeOf(err) == codes.FailedPrecondition {
		holds, failed := c.holds(ctx)
		if failed != nil {
			return failed
		}
		if !holds {
			return fmt.Errorf("%s undid the commit before it was confirmed: %w", c.name, c.failure("Set", err))
		}
		err = nil
	}
	if err == nil {
		c.log.Info("commit confirmed", "commit", c.pending)
		c.pending = ""
	}
	return c.failure("Set", err)
}

// cancel has the switch undo the pending commit, and tells whether it did.
func (c *confirmedCommits) cancel(ctx context.Context) (bool, error) {
	if c.pending == "" {
		return false, nil
	}
	undone, err := c.cancelID(ctx, c.pending)
	if err == nil {
		c.pending = ""
	}
	return undone, err
}

// cancelID has the switch undo the commit with this id, and tells whether it did. It
// did not if that commit is not pending, or if another one is.
func (c *confirmedCommits) cancelID(ctx context.Context, id string) (bool, error) {
	cancel := &gnmi_ext.Commit_Cancel{Cancel: &gnmi_ext.CommitCancel{}}
	err := c.sendExtension(ctx, &gnmi_ext.Commit{Id: id, Action: cancel})
	switch codeOf(err) {
	case codes.OK:
		c.log.Info("commit cancelled", "commit", id)
		return true, nil
	case codes.FailedPrecondition, codes.InvalidArgument, codes.Unimplemented:
		return false, nil
	}
	return false, c.failure("Set", err)
}
