// Package watch starts runs and shows how far they are.
package watch
