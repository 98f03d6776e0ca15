package sonic

import (
	"github.com/cellwarden/cellwarden/nos"
)

// System is community SONiC. A switch that can be asked is rendered for by [Options].
var System = nos.System{Name: "sonic", Title: title, Read: read, Render: Options{}.Render, Profile: gnmiProfile}
