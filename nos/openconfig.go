package nos

// openconfig is a switch that accepts every leaf of the published model, as the model
// has it. It is the profile of switches about which nothing else is known.
func openconfig() *Profile {
	p := &Profile{Name: OpenConfig, Rules: modelRules(),
		Title: "OpenConfig: a target that accepts all of openconfig-qos"}
	p.quirk(StaticBySlice, 0, bySlice, inferred(sourceModel))
	p.quirk(GroupIsInputQueue, 0, byInputQueue, inferred(sourceModel))
	p.quirk(PriorityIsQueue, 0, byQueue, inferred(sourceModel))
	p.quirk(CommitUnknown, 0, "the gNMI version does not show whether a target implements Commit-confirmed",
		from("openconfig/reference, gnmi-commit-confirmed"))
	return p.assumeWorst()
}
