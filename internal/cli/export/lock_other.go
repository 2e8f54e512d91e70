//go:build !unix

package export

import "os"

// tryLock: there is no lock here that a killed process leaves behind open.
func tryLock(*os.File) error { return nil }

func unlock(*os.File) error { return nil }

func syncFolder(string) error { return nil }
