// Package campaigns is what to collect: the file format, strict loading with
// every error at once, merging of layers with the origin of each value, the
// schedule's words, item lists, and the JSON Schema. It knows neither Temporal
// nor any store; fetchers are looked up through a function it is given.
package campaigns
