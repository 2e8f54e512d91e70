package archtest

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/vendemmia/vendemmia/"

// rule is one floor of the house: the packages it speaks of, and what they may
// import. An entry ending in /... covers everything below.
type rule struct {
	of     string
	ours   []string // packages of this module
	others []string // other modules; "*" is any
	not    []string // of the standard library
	never  []string // neither directly nor through anything else
}

// leaves are packages of one idea that need the standard library only. Every package
// may import them.
func leaves() []string {
	return []string{"internal/challenge", "internal/fieldjson", "internal/panics", "internal/paramspec", "internal/references", "internal/times", "internal/wording"}
}

// policies are packages of one idea over the nouns of harvest. Every package above it
// may import them.
func policies() []string {
	return []string{"internal/outcomes", "internal/retry", "internal/units", "internal/visit"}
}

// rules is the picture of docs/architecture.md, from the ground up.
func rules() []rule {
	temporal := "go.temporal.io/..."
	return append(groundRules(), []rule{
		{of: "harvest", not: []string{"net/http"}},
		{of: "harvest/rows", ours: []string{"harvest"}, not: []string{"net/http"}},
		{of: "campaigns/...", ours: []string{"harvest", "campaigns/...", "internal/userfile"}, others: []string{"*"}, not: []string{"net/http"}, never: []string{temporal}},
		{of: "fetchers/...", ours: []string{"harvest", "fetchers/..."}, others: []string{"*"}, never: []string{temporal, "go.uber.org/fx", "modernc.org/..."}},
		{of: "fetchers/fetchertest/golden", ours: []string{"harvest/..."}, others: []string{"*"}},
		{of: "store/...", ours: []string{"harvest/...", "store/..."}, others: []string{"*"}, never: []string{temporal, "go.uber.org/fx"}},
		{of: "workflows/steps", ours: []string{"harvest", "internal/temporalx"}},
		{of: "workflows", ours: []string{"workflows/steps", "campaigns", "harvest", "internal/temporalx"}, others: []string{temporal}, not: []string{"net/http", "os"}},
		{
			of: "activities", ours: []string{"workflows/steps", "fetchers", "campaigns", "store", "harvest/...", "internal/registry", "internal/temporalx", "internal/secrets"},
			others: []string{temporal, "golang.org/x/sync/..."},
		},
		{of: "internal/temporalx", ours: []string{"harvest"}, others: []string{"*"}},
		{of: "internal/polite", ours: []string{"harvest", "internal/polite/robots"}, others: []string{"*"}, never: []string{temporal}},
		{of: "internal/polite/robots", not: []string{"net/http"}},
		{of: "internal/local/replica/...", ours: []string{"harvest"}, others: []string{"*"}, never: []string{temporal}},
		{of: "internal/config", ours: []string{"harvest", "internal/userfile"}, others: []string{"*"}},
		{of: "internal/secrets", ours: []string{"harvest", "internal/userfile"}, never: []string{temporal}},
		{of: "internal/webhook", ours: []string{"harvest"}, never: []string{temporal}},
		{of: "internal/local/freeport"},
		{of: "internal/lookup", ours: []string{"campaigns", "fetchers"}, not: []string{"net/http"}},
		{of: "internal/registry", ours: []string{"campaigns", "harvest/..."}, never: []string{temporal, "modernc.org/..."}},
		{of: "internal/userfile"},
		{of: "internal/terminal", others: []string{"golang.org/x/term"}},
		{of: "internal/process", ours: []string{"internal/terminal"}},
		{
			of: "internal/worker", others: []string{"*"},
			ours: []string{
				"internal/config", "internal/lookup", "internal/planner", "internal/polite", "internal/process", "internal/secrets", "internal/temporalx", "internal/webhook",
				"campaigns", "workflows/...", "activities", "fetchers", "store", "harvest/...",
			},
		},
		{of: "cmd/worker", ours: []string{"fetchers", "internal/process", "internal/worker"}, never: []string{module + "internal/cli/...", module + "internal/local/..."}},
		{of: "cmd/vendemmia", ours: []string{"app"}},
		{of: "internal/local/dev", ours: []string{"internal/local/freeport"}, others: []string{"*"}},
		{of: "internal/testkit/devtest", ours: []string{"internal/local/dev"}},
		{of: "internal/testkit/certtest"},
		{of: "internal/testkit/production", ours: []string{"internal/local/freeport", "internal/testkit/pgtest", "workflows"}, others: []string{"*"}},
		{of: "internal/testkit/pgtest", ours: []string{"internal/local/freeport"}},
		{of: "internal/planner", ours: []string{"workflows/...", "campaigns", "store", "harvest/..."}, others: []string{"*"}},
		{
			of: "internal/local/demo", others: []string{"*"},
			ours: []string{"internal/local/dev", "internal/local/replica/...", "internal/planner", "internal/temporalx", "internal/cli/print", "internal/terminal", "workflows/...", "campaigns", "store", "harvest/..."},
		},
		{of: "internal/cli/...", others: []string{"*"}, ours: append(commandsUse(), "internal/cli/...")},
	}...)
}

// commandsUse is what commands stand on, the packages that several nouns share
// among them: a noun knows these and no other noun.
func commandsUse() []string {
	return []string{
		"internal/cli/campaignfiles", "internal/cli/diagnose", "internal/cli/engine", "internal/cli/export", "internal/cli/hold", "internal/cli/print",
		"internal/cli/program", "internal/cli/scaffold", "internal/cli/scope", "internal/cli/source", "internal/cli/survey", "internal/cli/takeover", "internal/cli/trial",
		"internal/cli/unsent", "internal/cli/watch",
		"internal/terminal", "internal/planner", "internal/local/demo", "internal/local/dev", "internal/config", "internal/polite", "internal/secrets",
		"internal/process", "internal/lookup", "internal/registry", "internal/userfile", "internal/temporalx", "workflows/...", "campaigns", "fetchers", "store", "harvest/...",
	}
}

// A noun of the command line is a package; what two of them need is below both.
func TestNounsOfTheCommandLineStandApart(t *testing.T) {
	t.Parallel()
	nouns := 0
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if !strings.HasPrefix(name, "internal/cli/") || slices.Contains(commandsUse(), name) {
			continue
		}
		nouns++
		for _, i := range p.Imports {
			used := strings.TrimPrefix(i, module)
			if strings.HasPrefix(used, "internal/cli/") && !slices.Contains(commandsUse(), used) {
				t.Errorf("%s imports %s: put what both need into a package of commandsUse", name, used)
			}
		}
	}
	require.Greater(t, nouns, 15, "a rule that checks nothing")
}

func groundRules() []rule {
	var list []rule
	for _, leaf := range leaves() {
		list = append(list, rule{of: leaf, not: []string{"net/http"}})
	}
	for _, policy := range policies() {
		list = append(list, rule{of: policy, ours: []string{"harvest"}, not: []string{"net/http"}})
	}
	return list
}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
	Doc        string
	Dir        string
	GoFiles    []string
}

func TestArrowsPointDown(t *testing.T) {
	t.Parallel()
	packages := list(t)
	for _, r := range rules() {
		seen := false
		for _, p := range packages {
			if name := strings.TrimPrefix(p.ImportPath, module); covers(r.of, name) && !exempt(r.of, name) {
				seen = true
				r.check(t, p)
			}
		}
		require.True(t, seen, "no package is covered by the rule for %s: a rule that checks nothing", r.of)
	}
}

// exempt: the rule of a tree does not speak of a package with a rule of its own,
// and test suites may use what they test with.
func exempt(of, name string) bool {
	return of != name && slices.ContainsFunc(rules(), func(r rule) bool { return r.of == name }) ||
		name == "fetchers/fetchertest" || strings.HasSuffix(name, "storetest")
}

func (r rule) check(t *testing.T, p pkg) {
	t.Helper()
	for _, imported := range p.Imports {
		switch ours, isOurs := strings.CutPrefix(imported, module); {
		case isOurs && !anyCovers(r.ours, ours) && !slices.Contains(leaves(), ours) && (r.of == "harvest" || !slices.Contains(policies(), ours)):
			t.Errorf("%s imports %s, which is above it or beside it", p.ImportPath, imported)
		case !isOurs && isStandard(imported) && slices.Contains(r.not, imported):
			t.Errorf("%s imports %s, which this floor must not know", p.ImportPath, imported)
		case !isOurs && !isStandard(imported) && !slices.Contains(r.others, "*") && !anyCovers(r.others, imported):
			t.Errorf("%s imports %s, a module this floor does without", p.ImportPath, imported)
		}
	}
	for _, dep := range p.Deps {
		if anyCovers(r.never, dep) {
			t.Errorf("%s depends on %s, which must stay out of it", p.ImportPath, dep)
		}
	}
}

func TestOnlyTheWorkerKnowsTheContainer(t *testing.T) {
	t.Parallel()
	for _, p := range list(t) {
		if slices.Contains(p.Imports, "go.uber.org/fx") {
			require.Equal(t, module+"internal/worker", p.ImportPath, "fx lives in internal/worker only")
		}
	}
}

func covers(pattern, name string) bool {
	tree, isTree := strings.CutSuffix(pattern, "/...")
	return name == tree || isTree && strings.HasPrefix(name, tree+"/")
}

func anyCovers(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, name) })
}

func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func list(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps,Standard,Doc,Dir,GoFiles", "../../../...").Output()
	require.NoError(t, err)
	var packages []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p pkg
		require.NoError(t, d.Decode(&p))
		packages = append(packages, p)
	}
	require.Greater(t, len(packages), 5)
	return packages
}
