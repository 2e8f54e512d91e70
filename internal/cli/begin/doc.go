// Package begin is `starter init`: a folder to begin in.
package begin
