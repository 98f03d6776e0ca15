package target

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
)

// held refuses configuration that the models have and this switch has no
// registers for. Profiles that nothing is bound to may say what they like.
func held(tree *oc.Root) error {
	h := &holder{tree: tree, told: map[string]bool{}}
	for _, i := range interfaces(tree) {
		h.input(i)
		h.output(i)
	}
	if len(h.bad) == 0 {
		return nil
	}
	return &buffer.InvalidError{Complaints: h.bad}
}

// holder collects the complaints, each once.
type holder struct {
	tree *oc.Root
	told map[string]bool
	bad  []buffer.Complaint
}

func (h *holder) refuse(value, accepted, path string, keys ...any) {
	where := fmt.Sprintf("/qos/"+path, keys...)
	if !h.told[where] {
		h.told[where] = true
		h.bad = append(h.bad, buffer.Complaint{Path: where, Value: value, Accepted: accepted})
	}
}

// input refuses marking on the way in, and shares of queues that are no
// groups.
func (h *holder) input(i *ocInterface) {
	if all := i.GetInput().GetQueues(); all != nil {
		for _, name := range names(all.Queue) {
			if c := all.Queue[name].GetConfig(); c != nil && c.QueueManagementProfile != nil {
				h.refuse(*c.QueueManagementProfile, "none: this switch marks on the way out",
					"interfaces/interface[interface-id=%s]/input/queues/queue[name=%s]/config/queue-management-profile", *i.InterfaceId, name)
			}
		}
	}
	p := inputProfile(h.tree, i)
	if all := p.GetQueues(); all != nil {
		for _, name := range names(all.Queue) {
			if !numbered(name) {
				h.refuse(name, "0 to 7: this switch has eight priority groups",
					"buffer-allocation-profiles/buffer-allocation-profile[name=%s]/queues/queue[name=%s]", *p.Name, name)
			}
		}
	}
}

// output refuses egress buffers, marking of queues that are not there, and
// dropping.
func (h *holder) output(i *ocInterface) {
	if c := i.GetOutput().GetConfig(); c != nil && c.BufferAllocationProfile != nil {
		h.refuse(*c.BufferAllocationProfile, "none: this switch has no egress buffer limits",
			"interfaces/interface[interface-id=%s]/output/config/buffer-allocation-profile", *i.InterfaceId)
	}
	all := i.GetOutput().GetQueues()
	if all == nil {
		return
	}
	for _, name := range names(all.Queue) {
		p := outputProfile(h.tree, i, name)
		if p == nil {
			continue
		}
		if !numbered(name) {
			h.refuse(name, "0 to 7: this switch has eight egress queues",
				"interfaces/interface[interface-id=%s]/output/queues/queue[name=%s]", *i.InterfaceId, name)
		}
		h.curve(p)
	}
}

// curve refuses a profile that does anything but mark by the length that the
// queue has now.
func (h *holder) curve(p *ocECN) {
	const path = "queue-management-profiles/queue-management-profile[name=%s]/wred/uniform/config/"
	c := p.GetWred().GetUniform().GetConfig()
	switch {
	case c == nil || c.EnableEcn == nil || !*c.EnableEcn:
		h.refuse("false", "true: this switch marks and does not drop", path+"enable-ecn", *p.Name)
	case c.Drop != nil && *c.Drop:
		h.refuse("true", "false: this switch marks and does not drop", path+"drop", *p.Name)
	case c.Weight != nil && *c.Weight > 0:
		h.refuse(fmt.Sprint(*c.Weight), "0: this switch does not average the length of queues", path+"weight", *p.Name)
	}
}

func numbered(queue string) bool { return len(queue) == 1 && queue >= "0" && queue <= "7" }
