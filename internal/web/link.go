package web

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// LinkEnd is a port of a topology.
type LinkEnd struct {
	Topology Topology `json:"topology"`
	Port     string   `json:"port" minLength:"1" maxLength:"200" example:"Ethernet49"`
}

// LinkQuestion is the two ends of a link.
type LinkQuestion struct {
	A LinkEnd `json:"a"`
	B LinkEnd `json:"b"`
}

// links registers the operation that compares ends.
func (s *server) links(api huma.API) {
	register(s, api, "link", "Compare the two ends of a link", "The document cellwarden.link/v1: differences of PFC, "+
		"credits, classes, frames, bandwidths, speed and cable, each with its consequence and repair, and what an end does "+
		"not say. The ends are named a:PORT and b:PORT. Nothing is simulated.", askLink)
}

// askLink compares the ends of a link.
func askLink(_ context.Context, q *LinkQuestion) (report.LinkDocument, error) {
	var ends [2]linkcheck.End
	for i, side := range []*LinkEnd{&q.A, &q.B} {
		p := linkcheck.FilePort{File: []string{"a", "b"}[i], Port: side.Port}
		file, err := topology.Read(p.File, []byte(side.Topology), open)
		if err != nil {
			return report.LinkDocument{}, err
		}
		if ends[i], _, err = p.End(&file.Intent); err != nil {
			return report.LinkDocument{}, err
		}
	}
	return report.Links([]linkcheck.Result{linkcheck.Compare(&ends[0], &ends[1])}), nil
}
