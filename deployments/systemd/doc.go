// Package systemd holds unit files for one machine. Its tests ask systemd's own
// tools about them; it has no code.
package systemd
