// Package wire reads OAI-PMH 2.0 responses at the level of bytes: it makes legal
// XML of what came, finds the records without decoding them, and decodes only
// headers and Dublin Core.
package wire
