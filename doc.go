// Package fieldlift is the vocabulary of Fieldlift: accounts, keys, credits,
// parsers, fields and schemas, extractions, documents and results, webhooks,
// events and deliveries, as plain types with their pure rules.
//
// It does no I/O, knows neither HTTP nor SQL, and imports only the standard
// library; every other package may import it.
package fieldlift

// Version is the version of this program, raised with each release.
const Version = "0.1.0"
