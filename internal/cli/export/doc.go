// Package export writes documents out as files, one each or in batches, and
// goes on where it stopped: a second call writes only what changed since.
package export
