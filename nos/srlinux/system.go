package srlinux

import (
	"github.com/cellwarden/cellwarden/nos"
)

// System is Nokia SR Linux. Its configuration is not read. It names its product in srl_nokia-platform-chassis and its
// ports in srl_nokia-interfaces; paths without an origin belong to the native model.
var System = nos.System{Name: "srlinux", Title: "SR Linux", Render: render, Profile: gnmiProfile,
	Identity: &nos.Identity{Product: []nos.Elem{{Name: "platform"}, {Name: "chassis"}, {Name: "type"}},
		Ports: []nos.Elem{{Name: "interface", Key: "name", Value: "*"}, {Name: "name"}}, List: "interface"}}
