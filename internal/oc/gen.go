// Package oc holds the configuration and the state of a switch as Go structs, in the shape of the OpenConfig models.
//
// OpenConfig describes the data of a switch in YANG modules. A YANG container or list entry is a Go struct here, and a
// leaf is a field: the leaf /qos/queues/queue[name=lossless]/config/queue-id is
//
//	root.Qos.Queues.Queue["lossless"].Config.QueueId
//
// [Root] is the top of the tree. Leaves are pointers, or an enumeration whose zero value means unset, so an absent leaf
// differs from one that is 0. The GetOrCreate methods make the structs on the way to a leaf. Validate checks a struct
// against the schema, which includes that every leafref points at something that exists; a leafref may point far away,
// so validate the whole Root. [Unmarshal] reads the JSON of RFC 7951 into a struct, and ygot.EmitJSON writes it. Where
// OpenConfig has a config and a state container with the same leaves, both are here: config is what was configured,
// state is what the switch reports.
//
// # The models
//
// The YANG files in the folder yang are restated by this project. They keep the module names, paths, types, keys and
// references of openconfig-qos, openconfig-interfaces and openconfig-if-ethernet, and only the part of them that
// cellwarden uses; the rest of the published models is not in these structs. A switch which reports more is read with
// ytypes.IgnoreExtraFields. The variable ΓModelData lists the modules and their versions, for the capabilities of a
// gNMI target.
//
// # Changing the models
//
// The file oc.go is written by ygot's generator, in the version which go.mod
// pins, and is never edited by hand. After a change in the folder yang, run
//
//	go generate ./internal/oc
//
// and commit oc.go with the change. A test regenerates it and compares. Another test compares the modules with the
// published ones. It needs a checkout of github.com/openconfig/public:
//
//	OPENCONFIG_YANG=path/to/public go test ./internal/oc
//
// # Why not a published package
//
// Packages with all of OpenConfig as Go structs exist, but they hold about 20 MB of source, and compiling one takes 1.6
// GB of memory. The file here is a hundredth of that size and compiles in a second.
package oc

//go:generate go run gen_main.go
