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
	Schema  string      `json:"$schema"`
	Version string      `json:"version"`
	Runs    [1]sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name    string      `json:"name"`
			Version string      `json:"version,omitempty"`
			Rules   []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifRule struct {
	ID       string    `json:"id"`
	Short    sarifText `json:"shortDescription"`
	Full     sarifText `json:"fullDescription"`
	Help     sarifText `json:"help"`
	Defaults struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	Rule       string            `json:"ruleId"`
	Index      int               `json:"ruleIndex"`
	Level      string            `json:"level"`
	Message    sarifText         `json:"message"`
	Locations  [1]sarifLocation  `json:"locations"`
	Identities map[string]string `json:"partialFingerprints"`
	Properties struct {
		Certain  bool             `json:"certain"`
		Topology string           `json:"topology,omitempty"`
		Bytes    map[string]int64 `json:"bytes,omitempty"`
	} `json:"properties"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
	Logical [1]struct {
		Name string `json:"fullyQualifiedName"`
	} `json:"logicalLocations"`
}

type sarifRegion struct {
	Line int `json:"startLine"`
}

// WriteSARIF writes findings as SARIF 2.1.0, which code hosts show on the line. The version is that of the program.
func WriteSARIF(w io.Writer, version string, codes *Registry, all []Finding) error {
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0"}
	run, driver, index := &log.Runs[0], &log.Runs[0].Tool.Driver, map[Code]int{}
	driver.Name, driver.Version, driver.Rules = "cellwarden", version, []sarifRule{}
	run.Results = []sarifResult{}
	for _, m := range codes.table().meanings {
		if slices.ContainsFunc(all, func(f Finding) bool { return f.Code == m.Code }) {
			index[m.Code] = len(driver.Rules)
			driver.Rules = append(driver.Rules, m.sarif())
		}
	}
	for i := range all {
		run.Results = append(run.Results, all[i].sarif(index[all[i].Code]))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(log)
}

// sarif is a code as a rule. Severities have the same names there.
func (m *Meaning) sarif() sarifRule {
	r := sarifRule{ID: string(m.Code), Short: sarifText{string(m.Code)}, Full: sarifText{m.Rule},
		Help: sarifText{m.Effect + " Repair: " + m.Repair + "."}}
	r.Defaults.Level = string(m.Severity)
	return r
}

// sarif is a finding as a result of the rule with an index.
func (f *Finding) sarif(rule int) sarifResult {
	r := sarifResult{Rule: string(f.Code), Index: rule, Level: string(f.Severity),
		Message:    sarifText{f.Object + ": " + f.Message + " Repair: " + f.Repair + "."},
		Identities: map[string]string{"finding/v1": f.Key()}}
	r.Properties.Certain, r.Properties.Topology, r.Properties.Bytes = f.Certain, f.Topology, f.Bytes
	file, line, object := f.File, f.Line, f.Object
	if f.Template != "" { // the code host shows the template; the folder is part of the name
		file, line, object = f.Template, f.TemplateLine, f.File+": "+f.Object
	}
	at := &r.Locations[0]
	at.Physical.Artifact.URI, at.Logical[0].Name = reference(file), object
	if line > 0 || f.Template != "" {
		at.Physical.Region = &sarifRegion{line}
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
