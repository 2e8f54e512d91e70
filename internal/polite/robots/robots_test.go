package robots_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/polite/robots"
)

// check writes what a file says of some addresses: "+/a -/b".
func check(file, agent, addresses string) string {
	rules := robots.Parse([]byte(file)).For(agent)
	var said []string
	for _, a := range strings.Fields(addresses) {
		sign := "-"
		if rules.Check(a).Allowed {
			sign = "+"
		}
		said = append(said, sign+a)
	}
	return strings.Join(said, " ")
}

func TestRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, agent, want string }{
		"empty file":                 {"", "bot", "+/ +/a"},
		"everything closed":          {"User-agent: *\nDisallow: /", "bot", "-/ -/a?b +/robots.txt"},
		"empty disallow":             {"User-agent: *\nDisallow:", "bot", "+/ +/a"},
		"own group":                  {"User-agent: *\nDisallow: /\nUser-agent: bot\nDisallow: /x", "bot", "+/ -/x +/y"},
		"own group without rules":    {"User-agent: *\nDisallow: /\n\nUser-agent: bot\n", "bot", "+/ +/x"},
		"group of another":           {"User-agent: other\nDisallow: /", "bot", "+/"},
		"agent is no prefix":         {"User-agent: bo\nDisallow: /\nUser-agent: bots\nDisallow: /", "bot", "+/"},
		"agent with a version":       {"User-agent: Bot/2.1\nDisallow: /", "bot", "-/"},
		"we with a version":          {"User-agent: bot\nDisallow: /", "Bot/1.0 (+mailto:x)", "-/"},
		"case of agents":             {"user-AGENT: BOT\ndisALLOW: /x", "bot", "-/x +/X"},
		"groups are merged":          {"User-agent: bot\nDisallow: /a\nUser-agent: *\nDisallow: /b\nUser-agent: bot\nDisallow: /c", "bot", "-/a +/b -/c"},
		"agents share a group":       {"User-agent: a\nUser-agent: bot\nDisallow: /x", "bot", "-/x"},
		"a line between two agents":  {"User-agent: bot\nSitemap: https://x/\nCrawl-delay: 2\n\nUser-agent: b\nDisallow: /x", "bot", "-/x"},
		"a rule ends the naming":     {"User-agent: a\nDisallow:\nUser-agent: bot\nDisallow: /x", "a", "+/x"},
		"rules of nobody":            {"Disallow: /\nUser-agent: *\nDisallow: /x", "bot", "+/ -/x"},
		"longest wins":               {"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c", "bot", "-/a -/a/x +/a/b +/a/bx -/a/b/c"},
		"order does not matter":      {"User-agent: *\nAllow: /a/b\nDisallow: /a", "bot", "-/a +/a/b"},
		"a tie allows":               {"User-agent: *\nDisallow: /a\nAllow: /a", "bot", "+/a"},
		"a tie allows, other order":  {"User-agent: *\nAllow: /a\nDisallow: /a", "bot", "+/a"},
		"case of paths":              {"User-agent: *\nDisallow: /A", "bot", "-/A +/a"},
		"star":                       {"User-agent: *\nDisallow: /*.php", "bot", "-/x.php -/a/b.php?c -/.php +/php"},
		"stars":                      {"User-agent: *\nDisallow: /a*b*c", "bot", "-/abc -/axbxcx +/acb"},
		"dollar":                     {"User-agent: *\nDisallow: /*.pdf$", "bot", "-/a.pdf +/a.pdf?x +/a.pdfx -/a.pdf/b.pdf"},
		"whole path":                 {"User-agent: *\nDisallow: /$", "bot", "-/ +/a"},
		"star and dollar":            {"User-agent: *\nDisallow: /a*$", "bot", "-/a -/ab +/b"},
		"overlapping pieces":         {"User-agent: *\nDisallow: /a*ab$", "bot", "+/ab -/aab -/a-ab"},
		"dollar inside":              {"User-agent: *\nDisallow: /a$b", "bot", "-/a$b -/a%24b +/a"},
		"literal star":               {"User-agent: *\nDisallow: /a%2Ab", "bot", "-/a*b -/a%2ab +/axb"},
		"no slash":                   {"User-agent: *\nDisallow: a", "bot", "+/a"},
		"encoded letters":            {"User-agent: *\nDisallow: /%62%61%7a", "bot", "-/baz -/%62az"},
		"letters, encoded address":   {"User-agent: *\nDisallow: /baz", "bot", "-/%62%61%7A"},
		"encoded slash stays":        {"User-agent: *\nDisallow: /a%2fb", "bot", "-/a%2Fb +/a/b"},
		"not ASCII":                  {"User-agent: *\nDisallow: /ツ", "bot", "-/%E3%83%84 -/%e3%83%84 -/ツ"},
		"not ASCII, encoded":         {"User-agent: *\nDisallow: /%e3%83%84", "bot", "-/ツ"},
		"address in a query":         {"User-agent: *\nDisallow: /a?b=https://c", "bot", "-/a?b=https://c -/a?b=https%3A%2F%2Fc +/a?b=c"},
		"reserved, without a mark":   {"User-agent: *\nDisallow: /*filter=color:", "bot", "-/l?filter=color:red -/l?a=1&filter=color%3Ared +/l?filter=size:1 +/l"},
		"address, without a mark":    {"User-agent: *\nDisallow: /*url=https%3A%2F%2F", "bot", "-/x?url=https://y -/x?url=https%3a%2f%2Fy +/x?url=http://y"},
		"address as it is":           {"User-agent: *\nDisallow: /*url=https://", "bot", "-/x?url=https://y -/x?url=https%3A%2F%2Fy"},
		"two wildcards, a comma":     {"User-agent: *\nDisallow: /*?*sort=a,b", "bot", "-/x?p=1&sort=a,b -/x?sort=a%2Cb +/x;sort=a,b"},
		"reserved in a path":         {"User-agent: *\nDisallow: /wiki/Special:", "bot", "-/wiki/Special:Search -/wiki/Special%3ASearch +/wiki/Special"},
		"semicolon":                  {"User-agent: *\nDisallow: /*;jsessionid=", "bot", "-/a;jsessionid=1 -/a%3Bjsessionid=1 +/a"},
		"plus":                       {"User-agent: *\nDisallow: /s?q=a+b", "bot", "-/s?q=a+b -/s?q=a%2Bb +/s?q=a%20b"},
		"encoded separator":          {"User-agent: *\nDisallow: /s?q=a%26b", "bot", "-/s?q=a%26b +/s?q=a&b"},
		"brackets":                   {"User-agent: *\nDisallow: /*?filter[color]=", "bot", "-/l?filter[color]=1 -/l?filter%5Bcolor%5D=1"},
		"second mark":                {"User-agent: *\nDisallow: /*?b", "bot", "-/a?a?b -/a?a%3Fb +/a%3Fb"},
		"longest, reserved":          {"User-agent: *\nDisallow: /*f=c:\nAllow: /*f=c:red", "bot", "-/l?f=c:blue +/l?f=c:red +/l?f=c%3Ared"},
		"any query":                  {"User-agent: *\nDisallow: /*?", "bot", "-/a?b -/? +/a +/a%3Fb"},
		"torn escape":                {"User-agent: *\nDisallow: /a%", "bot", "-/a% -/a%z +/a"},
		"query":                      {"User-agent: *\nDisallow: /*?", "bot", "-/a?b +/a"},
		"comments":                   {"User-agent: bot # us\nDisallow: /x # not here\n#Disallow: /", "bot", "-/x +/y"},
		"byte order mark":            {"\xef\xbb\xbfUser-agent: bot\nDisallow: /", "bot", "-/"},
		"CR only":                    {"User-agent: bot\rDisallow: /x\r\rDisallow: /y", "bot", "-/x -/y +/z"},
		"CRLF":                       {"User-agent: bot\r\nDisallow: /x\r\n", "bot", "-/x +/y"},
		"white space":                {"  User-agent :  bot  \n\tDisallow\t:\t/x\t", "bot", "-/x +/y"},
		"forgotten colon":            {"User-agent bot\nDisallow /x", "bot", "-/x +/y"},
		"slips":                      {"Useragent: bot\nDissallow: /x\nDisalow: /y", "bot", "-/x -/y +/z"},
		"star with a comment behind": {"User-agent: * # all\nDisallow: /x", "bot", "-/x"},
		"HTML":                       {"<!DOCTYPE html><html><body>Not found: /</body></html>", "bot", "+/"},
		"no agent of ours":           {"User-agent: *\nDisallow: /", "", "-/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := strings.Fields(c.want)
			for i := range want {
				want[i] = want[i][1:]
			}
			require.Equal(t, c.want, check(c.file, c.agent, strings.Join(want, " ")))
		})
	}
}

func TestVerdictNamesItsLine(t *testing.T) {
	t.Parallel()
	rules := robots.Parse([]byte("# ours\nUser-agent: *\nDisallow: /a # no\nAllow: /a/b\n")).For("bot")
	require.Equal(t, "disallowed by line 3 (Disallow: /a)", rules.Check("/a").String())
	require.Equal(t, "allowed by line 4 (Allow: /a/b)", rules.Check("/a/b").String())
	require.Equal(t, "allowed", rules.Check("/").String())
}

func TestDelay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"Crawl-delay: 10": 10 * time.Second, "crawl-delay: 1.5": 1500 * time.Millisecond, "Crawl-delay: 86400": robots.MaxDelay,
		"Crawl-delay: 1e300": robots.MaxDelay, "Crawl-delay: -1": 0, "Crawl-delay: NaN": 0, "Crawl-delay: Inf": robots.MaxDelay, "Crawl-delay: soon": 0, "Crawl-delay:": 0,
		"Crawl-delay: 2\nCrawl-delay: 4": 4 * time.Second,
	} {
		require.Equal(t, want, robots.Parse([]byte("User-agent: *\n"+text)).For("bot").Delay, text)
	}
	require.Zero(t, robots.Parse([]byte("Crawl-delay: 3")).For("bot").Delay, "of nobody")
}

func TestHugeFileIsCutAtAWholeLine(t *testing.T) {
	t.Parallel()
	file := "User-agent: *\nDisallow: /first\n" + strings.Repeat("Disallow: /"+strings.Repeat("x", 89)+"\n", robots.MaxSize/100) + "Disallow: /last\n"
	require.Equal(t, "-/first +/last +/", check(file, "bot", "/first /last /"))
	require.Equal(t, "+/", check("User-agent: *"+strings.Repeat(" ", robots.MaxSize)+"\nDisallow: /", "bot", "/"))
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%62?x=y\nCrawl-delay: 1"), "/a/b?c=d")
	f.Add([]byte("\xef\xbb\xbfUseragent bot\rDisallow: *%zz$$"), "%")
	f.Fuzz(func(t *testing.T, body []byte, target string) {
		rules := robots.Parse(body).For("bot")
		v := rules.Check(target)
		require.Equal(t, v, rules.Check(target))
		require.True(t, v.Allowed || v.Line > 0, "only a line may forbid")
		require.True(t, rules.Delay >= 0 && rules.Delay <= robots.MaxDelay)
		require.True(t, rules.Check("/robots.txt").Allowed)
	})
}
