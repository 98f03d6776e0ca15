package finding

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The types of this file are the parts of SARIF 2.1.0 that carry something here: the library for it brings a validator
// of schemas.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID       string       `json:"id"`
	Short    sarifText    `json:"shortDescription"`
	Full     sarifText    `json:"fullDescription"`
	Help     sarifText    `json:"help"`
	Defaults sarifDefault `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifResult struct {
	Rule       string            `json:"ruleId"`
	Index      int               `json:"ruleIndex"`
	Level      string            `json:"level"`
	Message    sarifText         `json:"message"`
	Locations  []sarifLocation   `json:"locations"`
	Identities map[string]string `json:"partialFingerprints"`
	Properties sarifProperties   `json:"properties"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	Line int `json:"startLine"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

type sarifProperties struct {
	Certain  bool             `json:"certain"`
	Topology string           `json:"topology,omitempty"`
	Bytes    map[string]int64 `json:"bytes,omitempty"`
}

// WriteSARIF writes findings as SARIF 2.1.0, which code hosts show on the line. The version is that of the program.
func WriteSARIF(w io.Writer, version string, codes *Registry, all []Finding) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "cellwarden", Version: version, Rules: []sarifRule{}}},
		Results: []sarifResult{}}
	index := map[Code]int{}
	for _, m := range codes.table().meanings {
		if slices.ContainsFunc(all, func(f Finding) bool { return f.Code == m.Code }) {
			index[m.Code] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, m.sarif())
		}
	}
	for i := range all {
		run.Results = append(run.Results, all[i].sarif(index[all[i].Code]))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// sarif is a code as a rule. Severities have the same names there.
func (m *Meaning) sarif() sarifRule {
	return sarifRule{string(m.Code), sarifText{string(m.Code)}, sarifText{m.Rule},
		sarifText{m.Effect + " Repair: " + m.Repair + "."}, sarifDefault{string(m.Severity)}}
}

// sarif is a finding as a result of the rule with an index.
func (f *Finding) sarif(rule int) sarifResult {
	r := sarifResult{Rule: string(f.Code), Index: rule, Level: string(f.Severity),
		Message:    sarifText{f.Object + ": " + f.Message + " Repair: " + f.Repair + "."},
		Locations:  []sarifLocation{{sarifPhysical{Artifact: sarifArtifact{reference(f.File)}}, []sarifLogical{{f.Object}}}},
		Identities: map[string]string{"finding/v1": f.Key()}, Properties: sarifProperties{f.Certain, f.Topology, f.Bytes}}
	switch at := &r.Locations[0]; {
	case f.Template != "": // the code host shows the template; the folder is part of the name
		at.Physical = sarifPhysical{sarifArtifact{reference(f.Template)}, &sarifRegion{f.TemplateLine}}
		at.Logical = []sarifLogical{{f.File + ": " + f.Object}}
	case f.Line > 0:
		at.Physical.Region = &sarifRegion{f.Line}
	}
	return r
}

// reference writes the path of a file as a relative URI reference (RFC 3986): what is no letter, digit or mark of a
// path is escaped, and a first folder with a colon is no scheme.
func reference(path string) string {
	var b strings.Builder
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ":") {
		b.WriteString("./")
	}
	for _, c := range []byte(path) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.IndexByte("-._~/:@!$'()*+,;=", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
