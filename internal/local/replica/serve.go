package replica

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Handler answers for all feeds, whatever the host it is asked by:
// /feed/NAME, /feeds.opml, and a page at / that names the first feeds.
func (f *Feeds) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /feed/{name}", f.serveFeed)
	mux.HandleFunc("GET /feeds.opml", f.serveOPML)
	mux.HandleFunc("GET /{$}", f.serveFront)
	return f.watched(mux)
}

func (f *Feeds) serveFeed(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	feed, ok := f.byName[r.PathValue("name")]
	if !ok {
		f.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	fault := feed.take()
	c := &call{view: f.view(feed, fault, r.Host), w: w, r: r, done: f.done}
	f.mu.Unlock()
	if fault.serve != nil {
		fault.serve(c)
		return
	}
	c.right().send(w)
}

// frontFeeds is how many feeds the front page names.
const frontFeeds = 5

func (f *Feeds) serveFront(w http.ResponseWriter, _ *http.Request) {
	head := ""
	for _, name := range f.Names()[:min(frontFeeds, len(f.feeds))] {
		v := f.at(name)
		head += fmt.Sprintf(`<link rel="alternate" type="application/rss+xml" title=%q href=%q>`, escape(v.paper.title()), v.url(1))
	}
	body := []byte("<!DOCTYPE html><html><head><title>Le cronache</title>" + head + "</head><body></body></html>")
	newAnswer(http.StatusOK, "text/html; charset=utf-8", body).send(w)
}

// listen opens the addresses: 127.0.0.2 and up where the machine has them all,
// else 127.0.0.1, with "localhost" as the last so that there are two names.
func (f *Feeds) listen() error {
	listeners, err := f.addresses()
	if err != nil {
		return err
	}
	f.server = &http.Server{Handler: f.Handler(), ReadHeaderTimeout: 10 * time.Second}
	for _, l := range listeners {
		f.wg.Go(func() { f.server.Serve(l) }) // ends with Close
	}
	return nil
}

func (f *Feeds) addresses() ([]net.Listener, error) {
	if len(f.hosts) > 1 {
		if listeners, err := f.many(); err == nil {
			return listeners, nil
		}
	}
	l, err := listen(1, f.config.Port)
	if err != nil {
		return nil, err
	}
	for i := range f.hosts {
		f.hosts[i] = l.Addr().String()
	}
	if last := len(f.hosts) - 1; last > 0 {
		f.hosts[last] = net.JoinHostPort("localhost", port(l))
	}
	return []net.Listener{l}, nil
}

// many opens one address for each host, or none.
func (f *Feeds) many() ([]net.Listener, error) {
	var listeners []net.Listener
	for i := range f.hosts {
		l, err := listen(2+i, f.config.Port)
		if err != nil {
			for _, open := range listeners {
				open.Close() // not used
			}
			return nil, err
		}
		listeners = append(listeners, l)
	}
	for i, l := range listeners {
		f.hosts[i] = l.Addr().String()
	}
	return listeners, nil
}

func listen(last, port int) (net.Listener, error) {
	var c net.ListenConfig
	return c.Listen(context.Background(), "tcp4", fmt.Sprintf("127.0.0.%d:%d", last, port))
}

func port(l net.Listener) string {
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		return strconv.Itoa(a.Port)
	}
	return "0"
}
