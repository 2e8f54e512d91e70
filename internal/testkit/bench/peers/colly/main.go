// Command colly crawls the pages a list links to with gocolly: the peer of
// fetchers/web's benchmark. It prints what it did as one line of JSON.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gocolly/colly/v2"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: colly ADDRESS-OF-THE-LIST SIDE-BY-SIDE")
	}
	parallel, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	begun := time.Now()
	pages := crawl(os.Args[1], parallel)
	raw, err := json.Marshal(map[string]any{"pages": pages, "seconds": time.Since(begun).Seconds(), "peak_mib": peak()})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("crawled %s\n", raw)
}

// crawl reads the same three fields of each page that our benchmark reads.
func crawl(list string, parallel int) int64 {
	var pages atomic.Int64
	c := colly.NewCollector(colly.Async(true))
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: parallel}); err != nil {
		log.Fatal(err)
	}
	c.OnHTML("ul.acts a.also", func(e *colly.HTMLElement) {
		e.Request.Visit(e.Attr("href")) // what was visited is refused
	})
	c.OnHTML("html", func(e *colly.HTMLElement) {
		if e.ChildText("h1.act__title") != "" && e.ChildAttr("p.meta time", "datetime") != "" && e.ChildText("span.amount") != "" {
			pages.Add(1)
		}
	})
	c.OnError(func(r *colly.Response, err error) { log.Print(r.Request.URL, " ", err) })
	if err := c.Visit(list); err != nil {
		log.Fatal(err)
	}
	c.Wait()
	return pages.Load()
}

// peak is the most memory this process has had, in MiB.
func peak() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	n, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return n / 1024
}
