package fetchertest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// description asks a fetcher made without a client, as look-ups do.
func (c Case) description(t *testing.T) harvest.Description {
	t.Helper()
	d, ok := c.New(nil).(harvest.Describer)
	require.True(t, ok, "every fetcher is a harvest.Describer")
	return d.Describe()
}

func checkDescription(t *testing.T, c Case) {
	d := c.description(t)
	require.NotEmpty(t, d.Summary)
	require.False(t, strings.HasSuffix(d.Summary, "."), "the summary is part of a line, without full stop")
	require.NotNil(t, d.Params, "params are a struct, be it an empty one")
	fields := paramspec.Fields(d.Params)
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
		require.NotEmpty(t, f.Doc, "param %s says nothing of itself", f.Name)
		require.Regexp(t, `^[a-z][a-z0-9_]*$`, f.Name)
		require.True(t, f.Default == "" || len(f.Enum) == 0 || slices.Contains(f.Enum, f.Default), "default of %s is none of its words", f.Name)
		require.False(t, f.Required && f.Default != "", "%s is required and has a default", f.Name)
	}
	require.Len(t, slices.Compact(sorted(names)), len(names), "a param twice")
	require.Subset(t, names, d.Identity, "identity names params")
	require.Empty(t, paramspec.Check(c.Params("http://127.0.0.1:1"), d.Params), "the case's own params")
	require.NotEmpty(t, paramspec.Check([]byte(`{"no_such_param":1}`), d.Params), "unknown params are refused")
}

// sections every README has, in this order.
func sections() []string {
	return []string{"## Params", "## What it yields", "## Example", "## Quirks"}
}

// checkFolder skips a folder without sample.yaml: another module need not have one, and
// its README.md is about the module.
func checkFolder(t *testing.T, c Case) {
	if !exists(c.Folder, "sample.yaml") {
		t.Skip("no sample.yaml here; a fetcher for others to use should have one, and a README.md that shows it")
	}
	readme := read(t, c.Folder, "README.md")
	require.True(t, strings.HasPrefix(readme, "# "), "README.md begins with the fetcher's name")
	last := 0
	for _, s := range sections() {
		i := strings.Index(readme, "\n"+s)
		require.Greater(t, i, last, "README.md: section %q is missing or out of order", s)
		last = i
	}
	for _, f := range paramspec.Fields(c.description(t).Params) {
		require.Contains(t, readme, "`"+f.Name+"`", "README.md does not explain a param")
	}
	sample := read(t, c.Folder, "sample.yaml")
	require.Contains(t, readme, strings.TrimSpace(sample), "README.md shows the sample as it is")
	c.checkSample(t)
}

// checkSample validates sample.yaml as a campaign file, with the params of this fetcher
// under whatever name the file calls it by.
func (c Case) checkSample(t *testing.T) {
	l, err := campaigns.Load([]string{filepath.Join(c.Folder, "sample.yaml")}, func(name string) (campaigns.FetcherInfo, error) {
		_, splits := c.New(nil).(harvest.Splitter)
		_, exhausts := c.New(nil).(harvest.Exhaustive)
		return campaigns.FetcherInfo{Name: name, Description: c.description(t), Splitter: splits, Exhaustive: exhausts}, nil
	})
	require.NoError(t, err)
	require.Empty(t, l.Problems, "sample.yaml is a campaign file")
	require.NotEmpty(t, l.Campaigns, "sample.yaml is a campaign file")
}

func exists(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name))
	require.NoError(t, err)
	require.True(t, utf8.Valid(b))
	return string(b)
}
