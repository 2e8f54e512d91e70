package demo

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	"github.com/vendemmia/vendemmia/internal/local/replica/registry"
)

// Where registries and the repository behind them listen, if nobody else does.
const (
	registriesAt = "127.0.0.62:8333"
	recordsHost  = "127.0.0.62"
	recordsPort  = 8334
)

// Registries are two job registries to try things on, one in each dialect, over a
// repository with the records that their jobs harvest.
type Registries struct {
	JSON    *registry.Service
	XML     *registry.Harvestables
	records *oai.Repository
	server  *http.Server
	url     string
}

// OpenRegistries starts them, on any port where the usual one is taken. Close ends
// them.
func OpenRegistries() (*Registries, error) {
	records, err := oai.Start(oai.Config{Records: 60, Page: 20, Collections: 6, Parts: 1, Host: recordsHost, Port: recordsPort})
	if err != nil {
		records, err = oai.Start(oai.Config{Records: 60, Page: 20, Collections: 6, Parts: 1})
	}
	if err != nil {
		return nil, err
	}
	r := &Registries{JSON: registry.New(), XML: registry.NewHarvestables(), records: records}
	mux := http.NewServeMux()
	mux.Handle("/v1/", http.StripPrefix("/v1", r.JSON))
	mux.Handle("/harvester/records/", r.XML)
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	for i, set := range records.Sets() {
		r.JSON.Put(r.Job(set, "every 2h"))
		r.XML.Put(registry.OAI(fmt.Sprint(4901+i), records.URL()).With(registry.Field{Name: "oaiSetName", XML: set}, registry.Field{Name: "name", XML: "Set " + set}))
	}
	if err := r.listen(); err != nil {
		records.Close()
		return nil, err
	}
	return r, nil
}

func (r *Registries) listen() (err error) {
	host, port, _ := strings.Cut(registriesAt, ":")
	var l net.Listener
	for _, at := range []string{registriesAt, host + ":0", "127.0.0.1:" + port, "127.0.0.1:0"} {
		if l, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp", at); err == nil {
			r.url = "http://" + l.Addr().String()
			go r.server.Serve(l) // it ends with Close
			return nil
		}
	}
	return fmt.Errorf("start the registries: %w", err)
}

// Job is a job of the JSON registry: one set of the repository.
func (r *Registries) Job(set, timing string) registry.Job {
	return registry.Job{"id": jobOf(set), "name": "Set " + set, "timing": timing, "fetcher": "oaipmh", "params": map[string]any{"url": r.records.URL(), "set": set}}
}

// jobOf is the job of a set: an id that may be part of a name.
func jobOf(set string) string { return strings.ReplaceAll(set, "_", "-") }

// Close ends them.
func (r *Registries) Close() {
	r.server.Close() // nobody asks any more
	r.records.Close()
}

// HowTo says what to type; prefix stands before each command of starter.
func (r *Registries) HowTo(prefix string) string {
	return fmt.Sprintf(howTo, r.url, prefix, jobOf(r.records.Sets()[0]), r.records.URL())
}

const howTo = `registries  %[1]s, replicas with %[4]s behind them
In another terminal, in this folder:
  %[2]sstarter registry add house --url %[1]s/v1 --every 5s
  %[2]sstarter registry add catalogue --format harvestables --url %[1]s/harvester/records --every 5s
  %[2]sstarter registry show house
A job now, another, one less; and what the registry was told:
  curl -X PATCH %[1]s/v1/jobs/%[3]s -d '{"run": "1"}'
  curl -X PUT %[1]s/v1/jobs/more -d '{"id": "more", "timing": "every 1h", "fetcher": "oaipmh", "params": {"url": "%[4]s"}}'
  curl -X DELETE %[1]s/v1/jobs/%[3]s
  curl %[1]s/v1/reports
The same of the XML service, by its own records; harvestImmediately asks for a run:
  curl -X PATCH %[1]s/harvester/records/harvestables/4901/ -d harvestImmediately=true
  curl -X DELETE %[1]s/harvester/records/harvestables/4901/
  curl %[1]s/harvester/records/harvestables/
`
