// Package unsent counts the notifications of a campaign that could not be sent.
package unsent
