// Package dev is `starter dev`: everything on this machine.
package dev
