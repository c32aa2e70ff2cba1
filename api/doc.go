// Package api is the public contract of Fieldlift: the OpenAPI document, the
// types of requests and answers as they go over the wire, and a client.
//
// It holds no logic of the service. A Go program that uses Fieldlift needs
// nothing else of this module.
package api

import _ "embed"

// OpenAPI is the interface described in OpenAPI 3.1, as YAML. Tests hold it
// equal to what the service does.
//
//go:embed openapi.yaml
var OpenAPI []byte
