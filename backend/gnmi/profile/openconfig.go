package profile

func openconfig() *Profile {
	p := &Profile{Name: OpenConfig, Title: "OpenConfig, strictly: a target that takes all of openconfig-qos", Rules: rules()}
	return p.quirk(StaticBySlice, 0, bySlice, inferred(sourceModel)).
		quirk(PriorityGroupIs, 0, "priority group n is queue n of the input's profile: cellwarden's convention, the model does not say it", inferred(sourceModel)).
		quirk(PriorityIsQueue, 0, byQueue, inferred(sourceModel)).
		quirk(CommitUnproved, 0, "the version of gNMI does not tell whether a target implements Commit-confirmed", from("openconfig/reference, gnmi-commit-confirmed")).worst()
}
