// Package hold is what pausing and resuming share, of hosts as of items.
package hold
