package topology

import _ "embed" // the schema

//go:embed topology.schema.json
var schema []byte

// Schema returns the JSON Schema of topology files, for editors: they complete keys by it and mark what is not
// accepted. [Read] checks more than a schema can say.
func Schema() []byte { return append([]byte(nil), schema...) }
