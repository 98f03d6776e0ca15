package gnmi

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// Capabilities asks the switch which models and encodings it has, and returns the
// kinds of registers that its profile has no leaves for: see Probe.
func (c *Client) Capabilities(ctx context.Context) (backend.Capabilities, error) {
	probe, err := c.Probe(ctx)
	if err != nil {
		return backend.Capabilities{}, err
	}
	return backend.Capabilities{Transactional: !c.phased(), Missing: probe.Profile.Missing()}, nil
}

// ProbeResult is the answer of a switch to Capabilities, and what the client chose by it.
type ProbeResult struct {
	Answered        bool         // the switch answered Capabilities; else only the profile is known
	Version         string       // of gNMI
	Encodings       []string     // all that the switch lists
	Encoding        string       // the encoding of what is sent and read
	UnusedEncodings []string     // the encodings of the switch that the client does not use
	QoS             string       // version of openconfig-qos; empty: the switch has none, or lists no version
	Profile         *nos.Profile // never nil
	ProfileReason   string       // why this profile was chosen
	Chip            string       // that a simulated switch says it has; empty: the switch does not say
	Cell            cells.Size   // bytes of its cells, likewise; 0: the switch does not say
}

// String prints the result in one line.
func (i *ProbeResult) String() string {
	if !i.Answered {
		return fmt.Sprintf("profile %s, %s; it does not answer Capabilities; encoding %s", i.Profile.Name, i.ProfileReason,
			i.Encoding)
	}
	refused := ""
	if len(i.UnusedEncodings) > 0 {
		refused = ", not " + strings.Join(i.UnusedEncodings, ", ")
	}
	return fmt.Sprintf("profile %s, %s; gNMI %s, %s%s", i.Profile.Name, i.ProfileReason, i.Version, i.Encoding, refused)
}

// Probe asks the switch which models and encodings it has. The profile is the one of the Options, or else the one that
// the models of the switch match. The encoding is JSON_IETF, because every vendor's Set accepts it, or JSON for a
// switch that has no JSON_IETF. Probe refuses a switch with neither, one without openconfig-qos unless its profile uses
// no leaf of it, and one without Capabilities if the Options name no profile.
func (c *Client) Probe(ctx context.Context) (*ProbeResult, error) {
	answer, err := retried(ctx, c.session, func(ctx context.Context) (*gpb.CapabilityResponse, error) {
		return c.stub.Capabilities(ctx, &gpb.CapabilityRequest{})
	})
	probe := &ProbeResult{Encoding: gpb.Encoding_JSON_IETF.String(), Profile: c.opt.Profile, ProfileReason: "as asked for"}
	switch failed := c.failure("Capabilities", err); {
	case unimplemented(failed) && c.opt.Profile != nil:
		c.use(probe.Profile)
		return probe, nil
	case unimplemented(failed):
		return nil, fmt.Errorf("%w: a switch without Capabilities needs the name of a profile: want %s",
			failed, strings.Join(registry.ProfileNames(), ", "))
	case failed != nil:
		return nil, failed
	}
	probe.Answered, probe.Version = true, answer.GetGNMIVersion()
	probe.Encodings = grouped.Each(answer.GetSupportedEncodings(), gpb.Encoding.String)
	// A target has to support JSON (gNMI specification, 2.3.1), and need not JSON_IETF.
	if !slices.Contains(probe.Encodings, probe.Encoding) && slices.Contains(probe.Encodings, gpb.Encoding_JSON.String()) {
		probe.Encoding = gpb.Encoding_JSON.String()
	}
	c.conn.plain.Store(probe.Encoding == gpb.Encoding_JSON.String())
	used := func(encoding string) bool { return encoding == probe.Encoding }
	probe.UnusedEncodings = slices.DeleteFunc(slices.Clone(probe.Encodings), used)
	models := modelsOf(answer)
	probe.Chip, probe.Cell = nos.ChipOf(models)
	if probe.Profile == nil {
		probe.Profile, probe.ProfileReason = registry.FindProfile(models)
	}
	if err := c.check(probe, models); err != nil {
		return nil, err
	}
	c.use(probe.Profile)
	return probe, nil
}

// use sets the profile of the switch. A snapshot that was read with the leaves of
// another profile is dropped, so that the next Apply reads again.
func (c *Client) use(p *nos.Profile) {
	if c.profile == nil || c.profile.Name != p.Name {
		c.seen = nil
	}
	c.profile = p
}

// modelsOf lists the models of an answer as the profiles match them.
func modelsOf(answer *gpb.CapabilityResponse) []nos.Model {
	return grouped.Each(answer.GetSupportedModels(), func(m *gpb.ModelData) nos.Model {
		return nos.Model{Name: m.GetName(), Organization: m.GetOrganization(), Version: m.GetVersion()}
	})
}

// check refuses a switch without the encoding or the model that is needed.
func (c *Client) check(probe *ProbeResult, models []nos.Model) error {
	if !slices.Contains(probe.Encodings, probe.Encoding) {
		return fmt.Errorf("%s supports neither JSON_IETF nor JSON: it supports %v", c.name, probe.Encodings)
	}
	var names []string
	for _, m := range models {
		if names = append(names, m.Name); m.Name == "openconfig-qos" {
			probe.QoS = m.Version
		}
	}
	if probe.Profile.ExpressesAny() && !slices.Contains(names, "openconfig-qos") {
		return fmt.Errorf("%s has no model openconfig-qos: it has %s", c.name, modelList(names))
	}
	return nil
}

// modelList prints the names of models, OpenConfig's first, and no more than a line holds.
func modelList(models []string) string {
	if len(models) == 0 {
		return "no models"
	}
	const most = 12
	models = slices.Clone(models)
	rank := func(model string) int {
		if strings.HasPrefix(model, "openconfig-") {
			return 0
		}
		return 1
	}
	slices.SortFunc(models, func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
	if more := len(models) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(models[:most], ", "), more)
	}
	return strings.Join(models, ", ")
}
