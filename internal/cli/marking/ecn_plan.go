package marking

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// ofPlan makes the question of a topology's plan, for one class that marks, in the
// slice in which the class pauses first. All lossless groups are congested unless
// --groups gives their number. A flag of poolFlags beside a topology is refused: the plan has that number.
func (f *ecnFlags) ofPlan(cmd *cobra.Command, file string) (*report.ECNQuestion, error) {
	q := f.question(cmd)
	if err := q.WithoutPool(); err != nil {
		return nil, err
	}
	// Numbers of a plan that does not fit would be those of a pool that no switch has.
	plan, in, err := cli.LoadPlan(cmd, file)
	if err != nil {
		return nil, err
	}
	if err := cli.Unfit(cmd, file+": the plan does not fit, so its pool is not known", plan); err != nil {
		return nil, err
	}
	// The default of the flag is 1, which would be the mildest congestion of a plan and not the worst.
	if cmd.Flags().Changed("groups") {
		q.Groups = unit.Given(f.n)
	}
	if err := q.OfPlan(plan, &in); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return q, nil
}
