// Package campaigns is `starter campaigns`: campaign files checked, planned and applied; campaigns listed, paused, tried.
package campaigns
