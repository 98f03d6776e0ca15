package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/internal/sleep"
	"github.com/cellwarden/cellwarden/nos"
	"google.golang.org/grpc/codes"
)

// This file finds the earlier pushes to a switch that did not end, and says what they may still do to it.

// lookup is how long the name of a switch is looked up, and lookupLasts how long the answer is kept.
const (
	lookup      = 2 * time.Second
	lookupLasts = 30 * time.Second
)

// lockNames are the names by which a switch is locked: its address as it was given, and with the addresses to which the
// name of its host resolves, so that two names of one host have a lock in common. A gateway has several switches at one
// address.
func lockNames(address, prefixTarget string) ([]string, error) {
	given, err := gnmi.Address(address)
	if err != nil {
		return nil, err
	}
	out := []string{given}
	host, port, err := net.SplitHostPort(given)
	if err == nil && !strings.HasPrefix(given, "unix:") {
		for _, ip := range resolved(host) {
			if name := net.JoinHostPort(ip, port); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out[1:]) // two pushes take them in one order
	if prefixTarget != "" {
		for i := range out {
			out[i] += " " + prefixTarget
		}
	}
	return out, nil
}

// resolved are the addresses of a host, or none: one that cannot be looked up is known by its name alone. What was
// found is kept for a while: each of many pushes asks for the hosts of all others that have not ended.
func resolved(host string) []string {
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	if kept, ok := hosts.Load(host); ok && time.Since(kept.(foundHost).at) < lookupLasts {
		return kept.(foundHost).addresses
	}
	ctx, stop := context.WithTimeout(context.Background(), lookup)
	defer stop()
	all, _ := net.DefaultResolver.LookupHost(ctx, host)
	hosts.Store(host, foundHost{all, time.Now()})
	return all
}

// hosts are those that this process has looked up: a foundHost by its name.
var hosts sync.Map

type foundHost struct {
	addresses []string // none: it was not found
	at        time.Time
}

// earlier are the pushes to the switch that did not end, the newest first. dirs are directories beside the user's in
// which journals may be.
func (s *session) earlier(dirs ...string) []journal.Unfinished {
	known := map[string]bool{} // whether an address is the switch's, by its text: names are looked up once
	same := func(u journal.Unfinished) bool {
		key := u.Target + " " + u.PrefixTarget
		if is, asked := known[key]; asked {
			return is
		}
		names, err := lockNames(u.Target, u.PrefixTarget)
		known[key] = err == nil && slices.ContainsFunc(names, func(n string) bool { return slices.Contains(s.names, n) })
		return known[key]
	}
	return Journals().OfDevice(s.names, same, dirs...)
}

// journalsOf is the directory of the journals of a push, beside the user's; none if it writes none elsewhere.
func journalsOf(opt *Options) []string {
	if opt.Journal == "" || opt.NoJournal {
		return nil
	}
	if info, err := os.Stat(opt.Journal); err == nil && info.IsDir() {
		return []string{opt.Journal}
	}
	return []string{filepath.Dir(opt.Journal)}
}

// blocked tells whether the switch refused a push as it does while a commit waits.
func (s *session) blocked(err error) bool {
	rpc, ok := errors.AsType[*gnmi.RPCError](err)
	return ok && rpc.Code == codes.FailedPrecondition && s.result.State == backend.Refused
}

// keeps tells of a push that changed nothing whether the switch keeps what it holds: err is that of the push, which has
// asked the switch whether a commit waits. An earlier push that did not end may have begun that commit, or may be at
// work. The commit of an earlier push of the same plan is confirmed.
func (s *session) keeps(ctx context.Context, what subject, opt *Options, err error) error {
	waits := errors.Is(err, backend.ErrCommitWaits)
	if err != nil && !waits {
		return err
	}
	if waits { // a journal of this push has nothing to resume
		s.result.State, s.result.Journal = backend.Unknown, ""
	}
	all := s.earlier(journalsOf(opt)...)
	for _, u := range all {
		if waits && len(s.result.Changes) == 0 {
			if done, err := s.confirms(ctx, what, u); done {
				return err
			}
		}
		why := s.undoes(ctx, u, waits)
		if why == nil {
			continue
		}
		if _, held := errors.AsType[*journal.HeldError](why); !held {
			s.result.State, s.result.Journal = backend.Unknown, u.Journal
			if changed := what.again(ctx, s); changed != nil && err == nil {
				s.result.Has, err = backend.NotRead, changed
			}
		}
		return joinedErrors(err, why)
	}
	if err == nil && len(all) > 0 {
		err = s.still(ctx, what, all[0])
	}
	if s.Unsure() && err == nil {
		s.result.Commit = "whether another client's commit waits to be confirmed is not known: the switch does not say it"
	}
	return err
}

// still compares the switch with the plan once more, after it was read for an earlier push: a Set of that push may have
// been made since the switch was compared.
func (s *session) still(ctx context.Context, what subject, u journal.Unfinished) error {
	err := what.again(ctx, s)
	if err == nil {
		return nil
	}
	s.result.State, s.result.Has, s.result.Journal = backend.Unknown, backend.NotRead, u.Journal
	return fmt.Errorf("the switch had the plan and was read once more, because an earlier push to it did not end: want "+
		"apply again: %w", err)
}

// confirms has the switch, which holds the plan, keep the commit of an earlier push, if the journal proves that all
// which that push has changed is the plan's. done is false if the journal does not, or if another process continues it.
func (s *session) confirms(ctx context.Context, what subject, u journal.Unfinished) (done bool, err error) {
	p, err := Journals().ReadFile(u.Journal)
	if err != nil || u.UnderWay() {
		return false, nil
	}
	id := p.Waiting(time.Now())
	if id == "" || !what.plans(p) {
		return false, nil
	}
	err = p.Keep(journal.Options{}, func() error {
		if err := s.ConfirmCommit(ctx, id); err != nil {
			return fmt.Errorf("confirming the commit %s of the earlier push: %w", id, err)
		}
		again := func() error { return what.again(ctx, s) }
		if err := sleep.Fresh(func() error { return s.Stays(ctx) }, again); err != nil {
			return fmt.Errorf("after the commit was confirmed: %w", err)
		}
		return nil
	})
	if _, uncontinued := errors.AsType[*journal.ContinueError](err); uncontinued {
		return false, nil
	}
	s.result.State = p.State
	if err != nil {
		s.result.Has, s.result.Journal = backend.NotRead, u.Journal
		return true, err
	}
	s.result.Commit = fmt.Sprintf("the commit %s of an earlier push of this plan waited, and is confirmed: its journal "+
		"is %s", id, u.Journal)
	return true, nil
}

// joinedErrors are two errors in one line; either may be nil.
func joinedErrors(err, why error) error {
	switch {
	case err == nil:
		return why
	case why == nil:
		return err
	}
	return fmt.Errorf("%w; %w", err, why)
}

// pending says what the switch may do to what it holds, because a commit waits or an earlier push did not end. read
// tells whether the switch may have been read for it.
func (s *session) pending(ctx context.Context, opt *Options) (out []nos.Undone, read bool) {
	err := s.Stays(ctx)
	all := s.earlier(journalsOf(opt)...)
	for _, u := range all {
		if why := s.undoes(ctx, u, err != nil); why != nil {
			out = append(out, nos.Undone{What: "what the switch holds", Why: joinedErrors(err, why).Error()})
			err = nil
		}
	}
	if err != nil {
		out = append(out, nos.Undone{What: "what the switch holds", Why: err.Error()})
	}
	return out, len(all) > 0
}

// undoes says why an earlier push may change what the switch holds; nil: it does not.
func (s *session) undoes(ctx context.Context, u journal.Unfinished, waits bool) error {
	if u.UnderWay() {
		return fmt.Errorf("%w, with the journal %s, and may change what the switch holds",
			&journal.HeldError{Target: s.to.Address}, u.Journal)
	}
	p, err := Journals().ReadFile(u.Journal)
	if err != nil {
		return nil // it is named by resume, which lists it
	}
	switch id := p.Waiting(time.Now()); {
	case waits && id != "":
		return fmt.Errorf("an earlier push to this switch did not end, and its commit %s may be the one: its journal is %s",
			id, u.Journal)
	case id != "" && s.Unsure():
		return fmt.Errorf("whether the commit %s of an earlier push that did not end still waits is unknown: its journal is "+
			"%s", id, u.Journal)
	}
	return s.mayMake(ctx, p, u.Journal)
}

// mayMake says that the switch may still make a Set of an earlier push that it did not answer; nil: it does not.
func (s *session) mayMake(ctx context.Context, p *journal.Push, file string) error {
	left := p.AtWork(time.Now(), cmp.Or(p.Longest, s.LongestSet()))
	if left <= 0 || !s.remains(ctx, p) {
		return nil
	}
	return fmt.Errorf("an earlier push to this switch did not end, and a Set of it was not answered: until %s the switch "+
		"may still make it; its journal is %s", time.Now().Add(left).UTC().Format("15:04:05Z"), file)
}

// unmade are the earlier pushes of which the switch may still make a Set, as it is now; without is the journal of the
// push itself. That the switch holds what a Set leaves shows that it was made, unless a later push may have made the same.
func (s *session) unmade(ctx context.Context, without string, dirs ...string) (out []*journal.Push) {
	for _, u := range s.earlier(dirs...) {
		if u.Journal == without {
			continue
		}
		p, err := Journals().ReadFile(u.Journal)
		now := time.Now()
		if err == nil && p.AtWork(now, cmp.Or(p.Longest, s.LongestSet())) > 0 && (p.Replaced(now) || s.remains(ctx, p)) {
			out = append(out, p)
		}
	}
	return out
}

// lasts tells of a push that has changed the switch whether a Set of an earlier one may still replace what it has made,
// or has done so since the switch was read: again reads and compares it. before are those of unmade when the push began:
// a Set that was made before does not come any more.
func (s *session) lasts(ctx context.Context, before []*journal.Push, again func() error) error {
	if len(before) == 0 {
		return nil
	}
	earlier := before[0].File
	var why error
	for _, p := range before {
		if now, err := Journals().ReadFile(p.File); err == nil { // another process may have ended it
			p = now
		}
		if why = s.mayMake(ctx, p, p.File); why != nil {
			earlier = p.File
			break
		}
	}
	err := again()
	if err != nil {
		s.result.Has = backend.NotRead
		err = fmt.Errorf("the switch had the changes and was read once more, because an earlier push to it did not end: %w",
			err)
	}
	if err = joinedErrors(err, why); err != nil {
		s.result.State, s.result.Earlier = backend.Unknown, earlier
	}
	return err
}

// remains tells whether a Set of a push that was not answered would still change the switch.
func (s *session) remains(ctx context.Context, p *journal.Push) bool {
	return slices.ContainsFunc(p.Unanswered(), func(one *journal.Push) bool {
		if one.Values == nil {
			now, err := s.Observe(ctx)
			return err != nil || !one.Made(now)
		}
		left, err := (&native.Resumption{Client: s.Client}).Remains(ctx, one)
		return left || err != nil
	})
}
