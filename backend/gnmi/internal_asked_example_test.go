package gnmi_test

import (
	"context"
	"errors"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend/gnmi/internal/asked"
)

// silent is a client of a switch that does not answer.
type silent struct{}

func (silent) Get(ctx context.Context, _ *gpb.GetRequest) (*gpb.GetResponse, error) {
	fmt.Println("sent once:", asked.Once(ctx))
	return nil, errors.New("no such path")
}

// A switch that does not answer is no error.
func Example_asked() {
	path := []*gpb.PathElem{{Name: "components"}}
	fmt.Println(asked.Get(context.Background(), silent{}, nil, gpb.GetRequest_STATE, path))
	// Output:
	// sent once: true
	// <nil>
}
