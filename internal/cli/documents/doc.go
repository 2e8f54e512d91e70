// Package documents is `starter documents`: what was collected, its versions, changes and exports.
package documents
