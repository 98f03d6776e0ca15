package eos

import (
	"bytes"
	"strings"
	"text/template"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
)

// avdTool is the dialect of the variables of github.com/aristanetworks/avd: platform.trident.mmu, with the keys that
// avd.go reads. It is no system of its own: what AVD makes of the variables is a configuration of EOS.
var avdTool = nos.System{Name: avdName, Title: "variables of AVD", Render: renderVariables}

const avdName = "avd"

// The types are platform.trident.mmu, in the order of AVD's schema.
type (
	avdMMU struct {
		ActiveProfile string `json:"active_profile"`
		HeadroomPool  struct {
			Unit  string `json:"unit"`
			Limit int64  `json:"limit"`
		} `json:"headroom_pool"`
		QueueProfiles []avdProfile `json:"queue_profiles"`
	}
	avdProfile struct {
		Name    string     `json:"name"`
		Ingress avdIngress `json:"ingress"`
	}
	avdIngress struct {
		Headroom *avdSize   `json:"headroom"`
		Resume   int64      `json:"resume,omitempty"` // bytes
		Groups   []avdGroup `json:"priority_groups,omitempty"`
	}
	avdGroup struct {
		ID        int      `json:"id"`
		Threshold string   `json:"threshold,omitempty"` // one of the texts of alphas
		Reserved  *avdSize `json:"reserved,omitempty"`
	}
	avdSize struct {
		Unit   string `json:"unit"`
		Memory int64  `json:"memory"`
	}
)

// renderVariables writes a plan as variables, in YAML and in JSON. A plan with an alpha that is no threshold is
// refused: another threshold would be another plan, and none leaves the group what the switch has.
func renderVariables(p nos.Plan) *nos.Rendering {
	c := memoryOf(p)
	r := &nos.Rendering{Dialect: avdName, NotSent: "they are variables of AVD, which configures the switch"}
	switch {
	case !c.lossless:
		r.Refused = "no group is lossless, so that platform.trident.mmu has nothing to say"
	case len(c.alphas) > 0:
		r.Refused = strings.Join(c.alphas, "; ") + ": want a threshold of AVD, 1/128, 1/64, 1/32, 1/16, 1/8, 1/4, 1/2, " +
			"1, 2, 4 or 8"
	}
	if r.Refused != "" {
		return r
	}
	m := c.variables()
	r.Files = []nos.File{
		{Name: "avd.yaml", Purpose: "variables of a host or a group of AVD's role eos_cli_config_gen", Content: m.yaml()},
		{Name: "avd.json", Purpose: "the same as JSON", Content: nos.JSON(map[string]any{
			"platform": map[string]any{"trident": map[string]any{"mmu": m}}})},
	}
	r.Omitted = p.Omit(rendering.Reasons(c.notVariables(), "platform.trident.mmu has no schedule", noCredits))
	r.Notes = append(c.notes(), "with the role eos_designs the same keys go under "+
		"custom_structured_configuration_platform", "PFC of the ports is not in platform.trident.mmu: want "+
		"ethernet_interfaces[].priority_flow_control of AVD")
	return r
}

// variables is the memory as variables, all sizes in bytes.
func (c *planned) variables() avdMMU {
	m := avdMMU{ActiveProfile: memoryName}
	m.HeadroomPool.Unit, m.HeadroomPool.Limit = "bytes", int64(c.limit)
	in := avdIngress{Headroom: &avdSize{"bytes", int64(c.headroom)}, Resume: int64(c.resume)}
	for _, g := range c.groups {
		group := avdGroup{ID: g.id, Threshold: g.threshold}
		if g.reserved > 0 {
			group.Reserved = &avdSize{"bytes", int64(g.reserved)}
		}
		in.Groups = append(in.Groups, group)
	}
	m.QueueProfiles = []avdProfile{{memoryName, in}}
	return m
}

// yaml writes the variables. Thresholds are texts: 1/8 is no number, and the schema wants a text for 1, too.
func (m *avdMMU) yaml() []byte {
	var b bytes.Buffer
	if err := template.Must(template.New(avdName).Parse(avdYAML)).Execute(&b, m); err != nil {
		panic(err) // the template is of the type, and a buffer takes every text
	}
	return b.Bytes()
}

const avdYAML = `---
platform:
  trident:
    mmu:
      active_profile: {{.ActiveProfile}}
      headroom_pool:
        unit: {{.HeadroomPool.Unit}}
        limit: {{.HeadroomPool.Limit}}
      queue_profiles:
{{range .QueueProfiles}}        - name: {{.Name}}
          ingress:
{{with .Ingress}}            headroom: {unit: {{.Headroom.Unit}}, memory: {{.Headroom.Memory}}}
{{with .Resume}}            resume: {{.}}
{{end}}{{with .Groups}}            priority_groups:
{{end}}{{range .Groups}}              - id: {{.ID}}
{{with .Threshold}}                threshold: {{printf "%q" .}}
{{end}}{{with .Reserved}}                reserved: {unit: {{.Unit}}, memory: {{.Memory}}}
{{end}}{{end}}{{end}}{{end}}`

// notVariables are the reasons of the kinds that platform.trident.mmu does not have, or not as the plan has them.
func (c *planned) notVariables() map[buffer.Kind]string {
	const elsewhere = "it is not in platform.trident.mmu"
	out := map[buffer.Kind]string{}
	for kind := range omitted {
		out[kind] = elsewhere
	}
	for _, kind := range inMemory {
		if delete(out, kind); c.why[kind] != "" {
			out[kind] = "a queue profile is the same for all ports, and " + c.why[kind]
		}
	}
	out[buffer.GroupLossless] = elsewhere + ": want ethernet_interfaces[].priority_flow_control of AVD"
	return out
}
