// Package takeover reads what other harvesters collect and how far they are:
// their settings become a campaign, their state positions to go on from.
package takeover
