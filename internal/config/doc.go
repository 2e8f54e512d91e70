// Package config holds the settings of a process: worker and starter read the
// same ones, from a flag, the environment, a YAML file or the default, in this
// order of strength, and can say which it was.
package config
