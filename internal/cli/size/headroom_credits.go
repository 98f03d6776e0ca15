package size

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file compares the headroom of PFC with the buffers of credits on the same links: headroom --compare --with cbfc.

// creditsOnly are the flags of a headroom that the comparison with credits uses; the others belong to other methods.
// Others would change PFC's side alone, and the two would no longer be about one link.
var creditsOnly = []string{"method", "speed", "cable", "medium", "delay", "extra_delay", "macsec", "response_delay",
	"mtu", "lossless_mtu", "chip", "cell", "overhead", "frame", "delays", "interface_delay"}

// creditsWith refuses flags that do not go together. Without --with it refuses the flags that need it.
func creditsWith(cmd *cobra.Command, with string, compare bool) error {
	switch {
	case with != "" && !compare:
		return errors.New("--with: accepted with --compare")
	case with == "" && cmd.Flags().Changed("plot"):
		return errors.New("--plot: accepted with --compare --with cbfc")
	}
	// Both sides have to have the same link, so only the flags of the link and of ieee802.1qbb are accepted. A key that
	// is both PFC's and the link's is in creditsOnly, so it changes both sides.
	for _, k := range requestKeys {
		switch given := cmd.Flags().Changed(k.flag()); {
		case given && with == "" && k.credits:
			return fmt.Errorf("--%s: accepted with --compare --with cbfc", k.flag())
		case given && with != "" && !k.credits && !slices.Contains(creditsOnly, k.name):
			return fmt.Errorf("--%s: not accepted with --with: it belongs to a method that does not compare with credits",
				k.flag())
		}
	}
	own := (thresholds.IEEE{}).Method()
	if m := cmd.Flags().Lookup("method"); with != "" && m.Changed && m.Value.String() != own {
		return fmt.Errorf("--method: accepted with --with: %s, whose delays credits have too", own)
	}
	return nil
}

// channel converts the request. The link has no speed or no length if the request has none. All complaints are returned
// together.
func (q request) channel() (c cbfc.Channel, bad []error) {
	c.Memory = q.memory(&bad)
	// Speed and length are placeholders where the request has none: the grid gives each link its own.
	grid := request{map[string]string{"speed": "100G", "cable": "5m"}, q.flags, q.open, q.read}
	maps.Copy(grid.text, q.text)
	// A stated delay takes the place of the length, and both together would be refused.
	if q.has("delay") {
		delete(grid.text, "cable")
	}
	c.Link = grid.link(&bad)
	// A credit counts one packet at a time. A mix of sizes has no one number of credits.
	mix := quantityOf(q, &bad, "frame", thresholds.ParseMix)
	if q.has("frame") && mix != thresholds.WorstFrames() && len(bad) == 0 {
		if c.Frame = mix.Frame(); c.Frame == 0 {
			bad = append(bad, fmt.Errorf("--frame %v: accepted with --with: one size, or worst", mix))
		}
	}
	// How the delays of both ends add up is the same for a pause frame and for a credit: this project's inference,
	// which the report states.
	c.Delays.Sum = quantityOf(q, &bad, "delays", thresholds.ParseDelaySum)
	c.Delays.EveryInterface = optionalOf(q, &bad, "interface_delay", unit.ParseTime)
	// By default a credit is a cell of the receiver, so that a packet takes as many credits as cells. The account is
	// how packets become credits.
	c.Account = cbfc.Native(c.Memory)
	c.Account.Credit = optionalOf(q, &bad, "credit_size", unit.ParseBytes).Or(c.Account.Credit)
	c.Account.Overhead = optionalOf(q, &bad, "credit_overhead", signedBytes).Or(c.Account.Overhead)
	// CF_Updates are never nearer to each other than this many bytes of the link.
	c.Updates = cbfc.DefaultUpdates()
	c.Updates.Least = optionalOf(q, &bad, "cf_spacing", unit.ParseBytes).Or(c.Updates.Least)
	// The most follows the least, in the steps that the field has.
	c.Updates.Most = max(c.Updates.Most, min((c.Updates.Least+cbfc.SpacingStep-1)/cbfc.SpacingStep*cbfc.SpacingStep,
		cbfc.MostSpacing))
	c.Stay = optionalOf(q, &bad, "stay", unit.ParseTime)
	c.Reverse = optionalOf(q, &bad, "reverse_frame", unit.ParseBytes)
	c.Sharing = quantityOf(q, &bad, "channels", channels)
	return c, bad
}

// signedBytes reads bytes that may be negative. The field for the overhead is signed, from -16 to 127 (cbfc.Account).
func signedBytes(text string) (unit.Bytes, error) {
	if len(text) > 1 && text[0] == '-' {
		b, err := unit.ParseBytes(text[1:])
		return -b, err
	}
	return unit.ParseBytes(text)
}

// channels reads a number of virtual channels.
func channels(text string) (int, error) {
	var n int
	// 1 to 32. Sscanf alone would accept 1x and 007.
	if _, err := fmt.Sscanf(text+" ", "%d ", &n); err != nil || fmt.Sprint(n) != text || n < 1 || n > cbfc.MaxChannels {
		return 0, fmt.Errorf("%s (want 1 to %d)", fielderr.Quote(text), cbfc.MaxChannels)
	}
	return n, nil
}

// runCredits compares one link both ways, or the links of the grid where the request has no speed or no length. The
// grid is cbfc.GridRates and cbfc.GridCables, 100G to 3.2T and 5 m to 100 km.
func runCredits(cmd *cobra.Command, q request, format cli.Output, plot string) error {
	assumed := q.assumeCells()
	c, bad := q.channel()
	if err := errors.Join(bad...); err != nil {
		return err
	}
	// Without a speed or a length the link has that of the placeholder, and the grid replaces it.
	rates, cables := []unit.BitRate{c.Link.Rate}, []unit.Length{c.Link.Cable}
	if !q.has("speed") {
		rates = cbfc.GridRates
	}
	if !q.has("cable", "delay") {
		cables = cbfc.GridCables
	}
	var doc report.HeadroomCreditsDocument
	if err := doc.Compare(c, rates, cables); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// The picture and the head describe the last link: the fastest and the longest.
	c.Link.Rate, c.Link.Cable = rates[len(rates)-1], cables[len(cables)-1]
	// The picture is written under a temporary name and gets its own after the table was printed.
	if plot != "" {
		// The picture has all lengths whatever --cable says: the length is its axis.
		drawn, err := creditsPicture(c, rates)
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
		if err := cli.Put(cmd, plot, []byte(drawn)); err != nil {
			return err
		}
	}
	if err := creditsReport(c, doc, assumed).Print(cmd, format, doc, cli.ExitFine); err != nil || plot == "" {
		return err
	}
	return cli.Commit(cmd)
}

// assumeCells puts the cells of Tomahawk 3 into a request that has none, and says so. It changes the request, and
// returns the sentence for the head of the report; empty: nothing was assumed.
func (q request) assumeCells() string {
	if q.has("cell", "chip") {
		return ""
	}
	// It is put into the request as if it had been given, so every method gets the same one.
	q.text["cell"] = fmt.Sprintf("%dB", defaultMemory.Cell)
	// A cell without its overhead would be that of no chip.
	if !q.has("overhead") {
		q.text["overhead"] = defaultMemory.Overhead.String()
	}
	return "no chip given: the cells of Tomahawk 3 are assumed"
}
