// Package keys is the table of all keys of a campaign file. Validation, suggestions,
// the built-in defaults, the JSON Schema and the reference are generated from it.
package keys
