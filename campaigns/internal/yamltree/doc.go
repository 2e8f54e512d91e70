// Package yamltree is YAML as a plain tree that knows where every value stands:
// anchors, aliases and merge keys are resolved, maps keep their order, and the
// trees of several files can be laid over one another.
package yamltree
