package push

import (
	"errors"
	"fmt"
	"time"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// Options say how a plan is pushed. The zero Options are the careful ones, with TLS and the authorities of the system.
type Options struct {
	// Connection is how the switch is reached. The size of cells is the plan's, and the name at a gateway the Target's.
	// A nil Profile is recognised by the models of the switch.
	Connection gnmi.Options
	// DryRun computes the changes and sends nothing.
	DryRun bool
	// Strict refuses a plan if a value that the lossless groups need cannot be sent, or if the shares of the bandwidth
	// are off by more than ShareTolerance: backend.ErrGaps.
	Strict         bool
	ShareTolerance unit.Percent // a part of the share of a queue
	// Prune also resets ports that have registers on the switch and are not in the plan.
	Prune bool
	// Native sends the native configuration of the switch also where OpenConfig could express registers of the plan.
	Native bool
	// SONiC is what is known of a SONiC switch. Current is read from the switch, except by Describe.
	SONiC sonic.Options
	// Disruption is the largest part of the traffic that a change may stop: see DisruptionError.
	Disruption buffer.Disruption
	// Journal is a new file for the journal, or a directory; empty: journal.Home.
	Journal string
	// NoJournal sends without a journal: a push that is interrupted cannot be resumed.
	NoJournal bool
	// JournalCreated is called with the file of the journal before anything is sent; nil: it is not called.
	JournalCreated func(file string)
	// Waiting is called when a switch did not answer a Set and is read until its state is known; nil: it is not called.
	Waiting func(device string, longest time.Duration)
}

// wantsNative tells whether a kind of switch receives native configuration: by choice, or because it accepts nothing
// else.
func (o *Options) wantsNative(p *nos.Profile) bool { return o.Native || p.NativeOnly() }

// language is the native configuration of a kind of switch for a plan.
func (o *Options) language(p *nos.Profile, plan nos.Plan) (native.Language, error) {
	out, err := native.New(p.Dialect, plan, o.SONiC)
	if errors.Is(err, native.ErrNoLanguage) {
		return nil, fmt.Errorf("profile %s has %w: want %s", p.Name, native.ErrNoLanguage, joined(nativeProfiles()))
	}
	return out, err
}

// nativeProfiles are the profiles whose native configuration is sent. That of Junos is rendered only.
func nativeProfiles() []string {
	var out []string
	for _, p := range registry.Profiles() {
		if p.Dialect != "" && p.Dialect != "junos" {
			out = append(out, p.Name)
		}
	}
	return out
}

// ResumeOptions say how a push that was interrupted is finished or undone.
type ResumeOptions struct {
	// Connection is how the switch is reached. The profile, the size of cells and the phases are the journal's, and so is
	// a SetTimeout of 0.
	Connection gnmi.Options
	// OwnRollback takes the Rollback of the Connection in place of the one that the journal names.
	OwnRollback bool
	// Undo restores the values from before the push. Else the push is finished.
	Undo bool
	// Overwrite also changes values that are neither the planned nor the previous ones, because others changed them.
	Overwrite bool
	// DryRun computes the remaining changes and sends nothing.
	DryRun bool
	// Disruption is the largest part of the traffic that a remaining change may stop; nil: the push was allowed to make
	// it.
	Disruption *buffer.Disruption
	// Waiting is that of Options.
	Waiting func(device string, longest time.Duration)
}

// DisruptionError says that a change may stop more traffic than is allowed. No change was sent.
type DisruptionError struct {
	Change  Change
	Allowed buffer.Disruption
	asked   bool // Sets without changes were sent before
}

// Error names the change, the traffic that it may stop, and the traffic that it is allowed to stop.
func (e *DisruptionError) Error() string {
	sent := "nothing"
	if e.asked {
		sent = "no change"
	}
	return fmt.Sprintf("%s was sent: %s may stop the traffic of: %v; allowed: %v", sent, e.Change.move(), e.Change.Reach,
		e.Allowed)
}

// Allowed returns a *DisruptionError for the first change that may stop more traffic than is allowed.
func (r *Result) Allowed(most buffer.Disruption) error {
	for _, c := range r.Changes {
		if c.Reach > most {
			return &DisruptionError{Change: c, Allowed: most, asked: r.Sets > 0}
		}
	}
	return nil
}

// Journals reads journals of pushes, and refuses values that no push has written.
func Journals() journal.Reader { return journal.Reader{Values: native.CheckValues} }
