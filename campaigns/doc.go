// Package campaigns defines what to collect: the file format, strict loading that
// reports all errors at once, merging of layers with the origin of each value,
// schedules in words, item lists, and the JSON Schema. It does not depend on Temporal
// or a store; a function looks up fetchers.
package campaigns
