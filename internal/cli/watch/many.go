package watch

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/sleep"
	"github.com/cellwarden/cellwarden/nos"
)

// Many switches are watched in rounds. In a round all of them are read, --parallel at a time; then each is compared
// with its reading of the round before, in the order of the file, so that the output has an order. A switch that cannot
// be read is named, and read again in the next round.

// watchedSwitch is one switch, of --targets or the only one. before and now are readings of two rounds, and reasons
// what the switch does not count. outcome has the worst that was seen so far.
type watchedSwitch struct {
	*watcher // nil: it has no plan
	target   push.Target
	profile  *nos.Profile // named for it; nil: recognised
	client   *gnmi.Client // nil: not connected
	began    time.Time
	before   *diagnosis.Sample
	now      *diagnosis.Sample // of this round; nil: it could not be read
	reasons  []string
	outcome  dial.Outcome // of all rounds
}

// fromSwitch reads a switch at every interval. The first reading prints nothing, unless it is the only one: it has the
// counters since they were cleared, as one dump does. Each interval is compared with the one before it and not with the
// first, so a finding is of its own interval. A reading that fails ends the run: with one switch there is nothing left
// to watch.
func (w *watcher) fromSwitch(ctx context.Context) error {
	w.dial.Connection.Log = cli.Logger(w.cmd)
	s := watchedSwitch{watcher: w, profile: w.named}
	defer s.close()
	return w.rounds(ctx, func(n int) error {
		if s.read(ctx); s.now == nil {
			return s.outcome.Err
		}
		if n > 0 || w.interval == 0 {
			if err := w.assess(s.client.Name(), s.before, *s.now, s.reasons); err != nil {
				return err
			}
		}
		s.before = s.now
		return nil
	})
}

// rounds reads at every interval. Round 0 has the first readings, so --count intervals are count+1 rounds. An
// interruption ends it: what was printed counts.
func (f *watchFlags) rounds(ctx context.Context, round func(n int) error) error {
	for n := 0; ; n++ {
		if err := round(n); err != nil {
			return err
		}
		if f.interval == 0 || f.count > 0 && n == f.count || sleep.For(ctx, f.interval) != nil {
			return nil
		}
	}
}

// runMany reads the file of --targets and watches its switches. A plan that is not there fails only the switches that
// have it. All switches share the file of metrics. Each has a copy of the flags, because the address in them is its
// own.
func (f *watchFlags) runMany(cmd *cobra.Command, file string, to *metricsFile) error {
	targets, err := f.many.Read(cmd)
	if err != nil {
		return err
	}
	f.dial.Connection.Log = cli.Logger(cmd)
	var all []*watchedSwitch
	for i, what := range dial.Plans(cmd, targets, file, f.named) {
		// A copy: To writes the address of the line into it.
		own := *f
		own.dial.To(targets[i])
		s := &watchedSwitch{target: targets[i], profile: what.Profile}
		s.watcher, s.outcome.Err = own.watcher(cmd, what, to)
		all = append(all, s)
	}
	return f.watchAll(cmd.Context(), all, cmd.ErrOrStderr())
}

// watchAll watches switches in rounds. The exit code is the worst of theirs. Rounds begin --interval after the last one
// has ended, so a slow switch delays all and no round overlaps another. What a round has read is not printed if the run
// is interrupted before it ends.
func (f *watchFlags) watchAll(ctx context.Context, all []*watchedSwitch, stderr io.Writer) error {
	// Connections stay open between rounds, and are closed when the run ends in whatever way.
	defer func() {
		for _, s := range all {
			s.close()
		}
	}()
	targets := grouped.Each(all, func(s *watchedSwitch) push.Target { return s.target })
	err := f.rounds(ctx, func(n int) error {
		// The lines of progress are left out: reports follow in the order of the file.
		f.many.Each(ctx, targets, io.Discard, func(ctx context.Context, i int, _ push.Target) dial.Outcome {
			all[i].read(ctx)
			return dial.Outcome{}
		})
		for _, s := range all {
			// The comparing and printing is done by one goroutine, in the order of the file.
			if ctx.Err() != nil {
				break
			}
			if err := s.compare(n > 0, f.interval == 0, stderr); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// The last line counts switches by their state, and the exit code is the gravest of all.
	outcomes := grouped.Each(all, func(s *watchedSwitch) dial.Outcome { return s.outcome })
	fmt.Fprintln(stderr, dial.Counts(outcomes))
	return cli.Ended(nil, dial.Worst(outcomes))
}

// read reads a switch once, and connects with it before if it is not connected. It runs beside those of other switches,
// and touches nothing but s.
func (s *watchedSwitch) read(ctx context.Context) {
	// A reading of the round before must not be taken for one of this round.
	s.now = nil
	if s.watcher == nil {
		return
	}
	err := s.connect(ctx)
	if err == nil {
		var now diagnosis.Sample
		if now, s.reasons, err = s.watcher.read(ctx, s.client, s.profile, s.began); err == nil {
			s.now = &now
		}
	}
	// An error of an earlier round is forgotten with a reading that works, and the exit code of it is not: see compare.
	if s.outcome.Err = err; err == nil {
		return
	}
	s.close() // the next round connects again
}

// close ends the connection, if there is one.
func (s *watchedSwitch) close() {
	if s.client != nil {
		_ = s.client.Close()
		s.client = nil
	}
}

// connect opens the connection and learns the kind of the switch. The profile that was recognised stays for all rounds.
// Times count from the first connection, also after a second one.
func (s *watchedSwitch) connect(ctx context.Context) error {
	if s.client != nil {
		return nil
	}
	client, err := s.dial.Open(ctx, cells.Size(s.cell), s.profile)
	if err != nil {
		return err
	}
	// Capabilities are asked for once a connection: another kind of switch may have taken the address.
	met, err := client.Probe(ctx)
	if err != nil {
		_ = client.Close()
		return cli.Failure(s.dial.Advise(err))
	}
	s.client, s.profile = client, met.Profile
	if s.began.IsZero() {
		s.began = time.Now()
	}
	return nil
}

// compare compares a switch with its reading before, and prints. The first reading is compared with nothing, unless it
// is the only one. The error is one of the output. later is true from the second round on, once for a run of one
// reading. A switch without a plan is named in the first round and then left out. Only an error of the output ends the
// run: what one switch does not answer is its own matter.
func (s *watchedSwitch) compare(later, once bool, stderr io.Writer) error {
	if s.now == nil && s.watcher == nil && later {
		return nil // it was named
	}
	// The error is that of this round; text of several lines becomes one line, since programs read the lines.
	if s.now == nil {
		// A switch that could not be read is a failure at least, whatever its error would be by itself.
		s.outcome.State, s.outcome.Code = "not read", max(cli.CodeOf(s.outcome.Err), cli.ExitFailure)
		fmt.Fprintf(stderr, "%s: %s\n", s.target, s.outcome.ErrorText())
		return nil
	}
	// After a round that failed a switch is compared with its last reading before it: the counters have gone on.
	before := s.before
	s.before = s.now
	if before == nil && !once {
		return nil
	}
	// An error with another code than that of usage is one of the output or of the file of metrics.
	err := s.assess(s.target.String(), before, *s.now, s.reasons)
	switch code := cli.CodeOf(err); {
	case err != nil && code != cli.ExitUsage:
		return err
	case err != nil: // nothing was counted
		s.outcome.State, s.outcome.Code, s.outcome.Err = "unknown", code, err
		fmt.Fprintf(stderr, "%s: %s\n", s.target, strings.Join(strings.Fields(err.Error()), " "))
	// The round in which it could not be read decides its exit code, so that no watch over a night hides a gap.
	case s.outcome.Code != cli.ExitFine: // it could not be read before
	case s.found:
		s.outcome.State, s.outcome.Code = "with findings", cli.ExitLint
	default:
		s.outcome.State = "without findings"
	}
	return nil
}
