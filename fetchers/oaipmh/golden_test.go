package oaipmh_test

import "flag"

//nolint:gochecknoglobals // a flag of the test binary
var update = flag.Bool("update", false, "rewrite golden files")
