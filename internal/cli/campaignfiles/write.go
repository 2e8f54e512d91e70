package campaignfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// NewFile is a file that a command is about to make.
type NewFile struct {
	Name    string
	Content []byte
}

// WriteNew makes files, all or none: one that is there already is kept, and is a
// usage error.
func WriteNew(p *program.Program, files []NewFile) error {
	seen := map[string]bool{}
	for _, f := range files {
		if seen[p.Path(f.Name)] {
			return program.Usage("import: two files of one name: %s", f.Name)
		}
		seen[p.Path(f.Name)] = true
		if _, err := os.Lstat(p.Path(f.Name)); !errors.Is(err, fs.ErrNotExist) {
			return program.Usage("import: %s is there already; nothing was written", f.Name)
		}
	}
	for _, f := range files {
		if err := writeNew(p.Path(f.Name), f.Content); err != nil {
			return fmt.Errorf("import: %w", err)
		}
		p.Say("wrote    %s", f.Name)
	}
	return nil
}

func writeNew(name string, content []byte) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}
