package server

import (
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// The structs of openconfig-qos that this package uses. The generated names repeat the whole path of a container, so
// that two of them do not fit on a line.
type (
	ocInterface  = oc.OpenconfigQos_Qos_Interfaces_Interface
	ocPG         = oc.OpenconfigQos_Qos_BufferAllocationProfiles_BufferAllocationProfile
	ocPolicy     = oc.OpenconfigQos_Qos_SchedulerPolicies_SchedulerPolicy
	ocClassifier = oc.OpenconfigQos_Qos_Classifiers_Classifier
	ocECN        = oc.OpenconfigQos_Qos_QueueManagementProfiles_QueueManagementProfile
	ocTerm       = oc.OpenconfigQos_Qos_Classifiers_Classifier_Terms_Term
	boundType    = oc.E_OpenconfigQos_Qos_Interfaces_Interface_Input_Classifiers_Classifier_Config_Type
	shareState   = oc.OpenconfigQos_Qos_BufferAllocationProfiles_BufferAllocationProfile_Queues_Queue_State
)

// interfaces returns the interfaces of /qos in the order of their names.
func interfaces(tree *oc.Root) []*ocInterface {
	all := tree.GetQos().GetInterfaces()
	if all == nil {
		return nil
	}
	var out []*ocInterface
	for _, name := range slices.SortedFunc(maps.Keys(all.Interface), buffer.ComparePorts) {
		out = append(out, all.Interface[name])
	}
	return out
}

// inputProfile is the buffer allocation profile that an interface's input is bound to;
// nil if none. It carries the priority groups. The getters of ygot return nil for a nil container, so that no step on
// the way needs a test.
func inputProfile(tree *oc.Root, i *ocInterface) *ocPG {
	config := i.GetInput().GetConfig()
	if config == nil || config.BufferAllocationProfile == nil {
		return nil
	}
	return tree.GetQos().GetBufferAllocationProfiles().GetBufferAllocationProfile(*config.BufferAllocationProfile)
}

// outputMinima is the buffer allocation profile that an interface's output is bound to;
// nil if none. It carries the minima of egress queues.
func outputMinima(tree *oc.Root, i *ocInterface) *ocPG {
	config := i.GetOutput().GetConfig()
	if config == nil || config.BufferAllocationProfile == nil {
		return nil
	}
	return tree.GetQos().GetBufferAllocationProfiles().GetBufferAllocationProfile(*config.BufferAllocationProfile)
}

// policy is the scheduler policy that an interface's output is bound to; nil if none.
func policy(tree *oc.Root, i *ocInterface) *ocPolicy {
	config := i.GetOutput().GetSchedulerPolicy().GetConfig()
	if config == nil || config.Name == nil {
		return nil
	}
	return tree.GetQos().GetSchedulerPolicies().GetSchedulerPolicy(*config.Name)
}

// The types of classifiers that this switch acts on.
const (
	boundIPv4 = oc.OpenconfigQos_Qos_Interfaces_Interface_Input_Classifiers_Classifier_Config_Type_IPV4
	boundIPv6 = oc.OpenconfigQos_Qos_Interfaces_Interface_Input_Classifiers_Classifier_Config_Type_IPV6
)

// classifier is the classifier that an interface is bound to for packets of a type; nil
// if none.
func classifier(tree *oc.Root, i *ocInterface, of boundType) *ocClassifier {
	config := i.GetInput().GetClassifiers().GetClassifier(of).GetConfig()
	if config == nil || config.Name == nil {
		return nil
	}
	return tree.GetQos().GetClassifiers().GetClassifier(*config.Name)
}

// outputProfile is the queue management profile that an egress queue of an interface is
// bound to; nil if none. It carries the ECN thresholds.
func outputProfile(tree *oc.Root, i *ocInterface, queue string) *ocECN {
	config := i.GetOutput().GetQueues().GetQueue(queue).GetConfig()
	if config == nil || config.QueueManagementProfile == nil {
		return nil
	}
	return tree.GetQos().GetQueueManagementProfiles().GetQueueManagementProfile(*config.QueueManagementProfile)
}

// sortedKeys returns the keys of a list in order.
func sortedKeys[T any](list map[string]T) []string { return slices.Sorted(maps.Keys(list)) }
