// Package config reads the settings of a process. Worker and starter share them. A flag
// overrides the environment, which overrides a YAML file, which overrides the default.
// Each value knows its origin.
package config
