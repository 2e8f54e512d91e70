package scaffold

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// files renders everything but the list of fetchers.
func (f Fetcher) files() (out []File, err error) {
	for _, t := range f.plan() {
		text, err := f.render(t.template)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", t.path, err)
		}
		out = append(out, File{Path: t.path, Text: text})
	}
	return out, nil
}

// step is a file and the template that it is made from.
type step struct{ path, template string }

func (f Fetcher) plan() []step {
	own, get, replica := "fetchers/"+f.Name+"/", "get_here.go", "internal/local/replica/"+f.Name+"/"+f.Name+".go"
	var more []step
	if f.Module != "" {
		own, get, replica = f.Name+"/", "get_module.go", f.Name+"/replica/replica.go"
		more = []step{
			{"go.mod", "go.mod"},
			{"main.go", "main.go"},
			{"main_test.go", "main_test.go"},
			{"Makefile", "Makefile"},
			{"README.md", "README_module.md"},
			{".gitignore", "gitignore"},
			{".github/workflows/check.yaml", "check.yaml"},
		}
	}
	return append([]step{
		{own + f.Name + ".go", "name.go"},
		{own + "fetch.go", "fetch.go"},
		{own + "get.go", get},
		{own + "wire.go", "wire.go"},
		{own + "adapt.go", "adapt.go"},
		{own + f.Name + "_test.go", "name_test.go"},
		{own + "README.md", "README.md"},
		{own + "sample.yaml", "sample.yaml"},
		{own + "testdata/records.json", "records.json"},
		{own + "testdata/records.json.golden", "records.json.golden"},
		{replica, "replica.go"},
	}, more...)
}

func (f Fetcher) render(name string) ([]byte, error) {
	source, err := templates.ReadFile("templates/" + name + ".tmpl")
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Parse(string(source))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, f.data()); err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".go") {
		return format.Source(b.Bytes())
	}
	return b.Bytes(), nil
}

// data is what templates know; Line is the first line of the golden file.
func (f Fetcher) data() map[string]string {
	line := ""
	if source, err := templates.ReadFile("templates/records.json.golden.tmpl"); err == nil {
		first, _, _ := strings.Cut(string(source), "\n")
		line = strings.ReplaceAll(first, "{{.Name}}", f.Name)
	}
	return map[string]string{"Name": f.Name, "Module": f.Module, "Version": f.Version, "Ours": Ours, "Go": goVersion, "Line": line}
}
