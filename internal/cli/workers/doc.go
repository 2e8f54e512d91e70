// Package workers is `starter workers`: the workers, their queues and what they hold.
package workers
