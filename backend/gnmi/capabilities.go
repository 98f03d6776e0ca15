package gnmi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
)

// Capabilities asks the switch which models and encodings it has and says what
// of a plan it can hold: see Probe.
func (c *Client) Capabilities(ctx context.Context) (backend.Capabilities, error) {
	met, err := c.Probe(ctx)
	if err != nil {
		return backend.Capabilities{}, err
	}
	return backend.Capabilities{Transactional: !c.phased(), Missing: met.Profile.Missing()}, nil
}

// ProbeResult is what a switch says of itself, and what cellwarden makes of
// it.
type ProbeResult struct {
	Answered        bool             // it answered Capabilities; else only the profile is known
	Version         string           // of gNMI
	Encodings       []string         // that it speaks
	Encoding        string           // the encoding of what is sent and read
	UnusedEncodings []string         // encodings of its that cellwarden has no use for
	QoS             string           // version of openconfig-qos; empty: it has none, or does not say
	Profile         *profile.Profile // never nil
	ProfileReason   string           // why it is this profile
}

// String says it in a line.
func (i *ProbeResult) String() string {
	if !i.Answered {
		return fmt.Sprintf("profile %s, %s; it has no Capabilities; %s is sent", i.Profile.Name, i.ProfileReason, i.Encoding)
	}
	refused := ""
	if len(i.UnusedEncodings) > 0 {
		refused = ", not " + strings.Join(i.UnusedEncodings, ", ")
	}
	return fmt.Sprintf("profile %s, %s; gNMI %s, %s%s", i.Profile.Name, i.ProfileReason, i.Version, i.Encoding, refused)
}

// Probe asks the switch which models and encodings it has, and chooses: the
// profile that Options name, else the one that the models give away; and
// JSON_IETF, which is what every vendor's Set takes. A switch must have
// JSON_IETF, and openconfig-qos unless its profile has no words of OpenConfig. A
// switch without Capabilities must be named a profile.
func (c *Client) Probe(ctx context.Context) (*ProbeResult, error) {
	answer, err := retried(ctx, c.session, func(ctx context.Context) (*gpb.CapabilityResponse, error) {
		return c.stub.Capabilities(ctx, &gpb.CapabilityRequest{}, c.opt.limits()...)
	})
	met := &ProbeResult{Encoding: gpb.Encoding_JSON_IETF.String(), Profile: c.opt.Profile, ProfileReason: "as asked for"}
	if failed := c.failure("Capabilities", err); unimplemented(failed) && c.opt.Profile != nil {
		c.use(met.Profile)
		return met, nil
	} else if unimplemented(failed) {
		return nil, fmt.Errorf("%w: a switch without Capabilities has to be named a profile: accepted: %s", failed, strings.Join(profile.Names(), ", "))
	} else if failed != nil {
		return nil, failed
	}
	met.Answered, met.Version = true, answer.GetGNMIVersion()
	for _, e := range answer.GetSupportedEncodings() {
		met.Encodings = append(met.Encodings, e.String())
	}
	met.UnusedEncodings = slices.DeleteFunc(slices.Clone(met.Encodings), func(e string) bool { return e == met.Encoding })
	models := modelsOf(answer)
	if met.Profile == nil {
		met.Profile, met.ProfileReason = profile.Find(models)
	}
	if err := c.check(met, models); err != nil {
		return nil, err
	}
	c.use(met.Profile)
	return met, nil
}

// use makes a profile the switch's. What was read by the leaves of another one is
// read again.
func (c *Client) use(p *profile.Profile) {
	if c.profile == nil || c.profile.Name != p.Name {
		c.seen = nil
	}
	c.profile = p
}

func modelsOf(answer *gpb.CapabilityResponse) []profile.Model {
	var out []profile.Model
	for _, m := range answer.GetSupportedModels() {
		out = append(out, profile.Model{Name: m.GetName(), Organization: m.GetOrganization(), Version: m.GetVersion()})
	}
	return out
}

// check refuses a switch that cannot be spoken to.
func (c *Client) check(met *ProbeResult, models []profile.Model) error {
	if !slices.Contains(met.Encodings, met.Encoding) {
		return fmt.Errorf("%s does not speak JSON_IETF: it speaks %v", c.name, met.Encodings)
	}
	var names []string
	for _, m := range models {
		if names = append(names, m.Name); m.Name == "openconfig-qos" {
			met.QoS = m.Version
		}
	}
	if met.Profile.ExpressesAny() && !slices.Contains(names, "openconfig-qos") {
		return fmt.Errorf("%s has no model openconfig-qos: it has %s", c.name, list(names))
	}
	return nil
}

// list names at most so many models as a line holds, OpenConfig's first.
func list(models []string) string {
	if len(models) == 0 {
		return "no models"
	}
	const most = 12
	models = slices.Clone(models)
	slices.SortFunc(models, func(a, b string) int {
		if x, y := strings.HasPrefix(a, "openconfig-"), strings.HasPrefix(b, "openconfig-"); x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return strings.Compare(a, b)
	})
	if more := len(models) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(models[:most], ", "), more)
	}
	return strings.Join(models, ", ")
}
