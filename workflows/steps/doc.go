// Package steps is the hinge between workflows and activities: what workflows
// ask for, as typed names with small inputs and outputs. Neither side knows the
// other. Names are constants: renaming Go code never breaks a history. Fields
// are only ever added, and are optional.
package steps
