// Package setup is `starter setup`: a Temporal namespace, or the store, made ready.
package setup
