package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A source writes references to secrets that the worker may resolve wherever it
// can. None is resolved, and a secret that the campaign file refers to reaches the
// source and stands nowhere else.

const (
	canary      = "k7Canary9f"
	canaryFile  = "q3Canary5d"
	control     = "w8Control2h"
	controlFile = "z4Control6j"
	references  = "${secret:env:VENDEMMIA_SECRET_CANARY}${secret:file:canary}"
)

func TestSoakReferencesOfASource(t *testing.T) {
	soak(t)
	t.Setenv("VENDEMMIA_SECRET_CANARY", canary+`&"<é %`)
	t.Setenv("VENDEMMIA_SECRET_CONTROL", control+`&"<é %`)
	h, src := newHouse(t), newLiar(t, references)
	folder := t.TempDir() // beside what is searched
	require.NoError(t, os.WriteFile(filepath.Join(folder, "canary"), []byte(canaryFile), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "control"), []byte(controlFile), 0o600))
	hired := h.hire()
	_, err := h.startWorker(hired, "--secret-dir", folder, "--log-level", "debug")
	require.NoError(t, err)
	t.Setenv("VENDEMMIA_SECRET_DIR", folder)

	printed := h.lies(src)
	got := src.got()
	for _, secret := range []string{control, controlFile} {
		require.Contains(t, got, secret, "what the campaign file refers to is resolved")
	}
	requireNowhere(t, "a request", got, canary, canaryFile)
	for where, text := range h.traces(hired.Health) {
		requireNowhere(t, where, text, canary, canaryFile, control, controlFile)
	}
	for _, r := range append(printed, h.screens()...) {
		requireNowhere(t, strings.Join(r.args, " "), string(r.out)+r.errors, canary, canaryFile, control, controlFile)
	}
	t.Logf("%d requests, none with a secret that only the source referred to", strings.Count(got, "HTTP/1.1\r\n"))
}

// lies lets the source answer in every way there is, each campaign twice, and
// returns what the commands printed.
func (h *house) lies(src *liar) (printed []reading) {
	h.t.Helper()
	h.write("lies.yaml", strings.ReplaceAll(`project: e2e
hosts: { 127.0.0.1: { connections: 4 } }
defaults: { retry: [ { times: 0 } ] }
campaigns:
  sets: { fetcher: oaipmh, params: { url: BASE/oai }, split: { ask: sets } }
  opml: { fetcher: feed, params: { opml: BASE/list.opml }, split: { ask: opml } }
  own: { fetcher: feed, params: { url: "BASE/feed/own?k=${secret:env:VENDEMMIA_SECRET_CONTROL}&f=${secret:file:control}", max_pages: 3 } }
  moved: { fetcher: feed, params: { url: BASE/moved } }
  pages: { fetcher: web, params: { url: BASE/list, links: a.row, next: "a[rel=next]", max_pages: 3, fields: { title: h1 } } }
`, "BASE", src.URL))
	printed = append(printed, h.read("campaigns", "apply", "lies.yaml", "--yes"))
	require.Zero(h.t, printed[0].code, printed[0].errors)
	for _, name := range []string{"sets", "opml", "own", "moved", "pages"} {
		for n := range 2 {
			sum := h.result(h.start(fmt.Sprintf("%s-%d", name, n), steps.Start{Campaign: name}))
			require.Positive(h.t, sum.Asked, "%s: %s", name, sum.Why)
		}
	}
	h.refused(src)
	return append(printed, h.probed(src)...)
}

// refused: references in a start, in overrides and in a list.
func (h *house) refused(src *liar) {
	h.t.Helper()
	params, err := json.Marshal(map[string]string{"url": src.URL + "/feed/start?k=" + references})
	require.NoError(h.t, err)
	for name, in := range map[string]steps.Start{"fetcher": {Fetcher: "feed", Params: params}, "override": {Campaign: "moved", Params: params}} {
		err := h.start("start-"+name, in).Get(h.within(time.Minute), nil)
		require.ErrorContains(h.t, err, "references to secrets are resolved only where they stand in a campaign file")
	}
	h.write("cells.csv", "id,url\na,"+src.URL+"/feed/cell?k="+references+"\n")
	h.write("cells.yaml", "project: e2e\ncampaigns:\n  cells: { fetcher: feed, split: { file: cells.csv, key: id } }\n")
	require.NotZero(h.t, h.read("campaigns", "apply", "cells.yaml", "--yes").code)
	require.NotContains(h.t, src.got(), "/feed/start")
	require.NotContains(h.t, src.got(), "/feed/cell")
}

// probed applies and runs what probe writes of the source.
func (h *house) probed(src *liar) (printed []reading) {
	h.t.Helper()
	for n, path := range []string{"/oai", "/feed/probed?k=" + references, "/moved"} {
		r := h.read("probe", src.URL+path, "--allow-network", "127.0.0.0/8")
		require.Zero(h.t, r.code, r.errors)
		name := fmt.Sprintf("probed-%d", n)
		_, yaml, _ := strings.Cut(string(r.out), "campaigns:\n")
		yaml, _, _ = strings.Cut(yaml, "\n\n")
		_, entry, _ := strings.Cut(yaml, "\n") // the line with its name
		h.write(name+".yaml", fmt.Sprintf("project: %s\ncampaigns:\n  %s:\n%s\n", name, name, entry))
		apply, run := h.read("campaigns", "apply", name+".yaml", "--yes"), h.read("trigger", "--campaign", name, "--yes")
		require.Zero(h.t, apply.code, apply.errors)
		require.Zero(h.t, run.code, run.errors)
		printed = append(printed, r, apply, run)
	}
	return printed
}

// screens are all commands that show something, for programs and for people.
func (h *house) screens() (all []reading) {
	h.t.Helper()
	lines := []string{"documents export", "documents list", "documents count", "items list", "failures list", "checkpoints list", "campaigns list", "runs list", "hosts list", "outbox list", "workers", "config"}
	for _, name := range []string{"sets", "opml", "own", "moved", "pages"} {
		lines = append(lines, "runs show -a "+name+"-0", "runs show -a "+name+"-1", "why "+name, "why "+name+"-1", "campaigns show "+name, "campaigns export "+name, "documents changes --collection "+name)
	}
	for _, line := range lines {
		all = append(all, h.read(strings.Fields(line)...), h.read(append(strings.Fields(line), "-o", "json")...))
	}
	return all
}
