package internal_test

import (
	"context"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// A field of CONFIG_DB is changed by a Set. A table that would be left empty is refused.
func Example_sonicfake() {
	s := sonicfake.New(sonicfake.DB{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}})
	path := func(names ...string) *gpb.Path {
		out := &gpb.Path{}
		for _, name := range append([]string{"CONFIG_DB", "localhost"}, names...) {
			out.Elem = append(out.Elem, &gpb.PathElem{Name: name})
		}
		return out
	}
	origin := &gpb.Path{Origin: "sonic-db"}
	length := &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(`"40m"`)}}
	_, err := s.Set(context.Background(), &gpb.SetRequest{Prefix: origin,
		Update: []*gpb.Update{{Path: path("CABLE_LENGTH", "AZURE", "Ethernet0"), Val: length}}})
	fmt.Println(s.Config()["CABLE_LENGTH"]["AZURE"]["Ethernet0"], err)
	_, err = s.Set(context.Background(), &gpb.SetRequest{Prefix: origin,
		Delete: []*gpb.Path{path("CABLE_LENGTH", "AZURE")}})
	fmt.Println(err)
	// Output:
	// 40m <nil>
	// rpc error: code = Unknown desc = given patch is not valid because it will result in empty tables: CABLE_LENGTH
}
