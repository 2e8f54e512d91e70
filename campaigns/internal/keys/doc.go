// Package keys is the one table of everything that may stand in a campaign
// file. Strictness, the nearest right name, the built-in defaults, the JSON
// Schema and the reference are all read from it.
package keys
