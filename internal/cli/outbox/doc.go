// Package outbox is `starter outbox`: notifications, and those that could not be sent.
package outbox
