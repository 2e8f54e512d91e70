// Package checkpoints is `starter checkpoints` and `starter import`: the positions from which items go on.
package checkpoints
