// Package probe is `starter probe`: what is at an address.
package probe
