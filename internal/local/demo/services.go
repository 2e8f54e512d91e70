package demo

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/vendemmia/vendemmia/internal/local/replica/instagram"
	"github.com/vendemmia/vendemmia/internal/local/replica/weather"
	"github.com/vendemmia/vendemmia/internal/local/replica/x"
)

// services are the programming interfaces that are harvested, on one address.
type services struct {
	weather *weather.Service
	posts   *x.API
	photos  *instagram.API
	server  *http.Server
	url     string
}

// openServices takes any port when its own is taken, and the usual address on
// machines that have but one.
func openServices() (*services, error) {
	s := &services{weather: weather.New(weather.Config{Hold: time.Hour}), posts: x.New(x.Config{}), photos: instagram.New(instagram.Config{})}
	mux := http.NewServeMux()
	mux.Handle("/", s.weather)
	mux.Handle("/2/", s.posts)
	mux.Handle("/v25.0/", s.photos)
	mux.Handle("/files/", s.photos)
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	var l net.Listener
	var err error
	for _, at := range []string{servicesHost + ":" + servicesPort, servicesHost + ":0", "127.0.0.1:" + servicesPort, "127.0.0.1:0"} {
		if l, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp", at); err == nil {
			s.url = "http://" + l.Addr().String()
			go s.server.Serve(l) // it ends with Close
			return s, nil
		}
	}
	return nil, err
}

// holds are the identities of all that a campaign could read.
func (s *services) holds(campaign string) (ids []string) {
	switch campaign {
	case postsCampaign:
		return s.posts.Holds(0)
	case photosCampaign:
		return s.photos.Holds()
	}
	for _, name := range placeNames() {
		ids = append(ids, s.weather.Hours(name, 2)...)
	}
	for _, name := range placeNames() {
		ids = append(ids, s.weather.METHours(name)...)
	}
	return ids
}

func (s *services) requests(campaign string) int {
	switch campaign {
	case postsCampaign:
		return len(s.posts.Requests())
	case photosCampaign:
		return len(s.photos.Requests())
	}
	return len(s.weather.Requests())
}

func placeNames() []string { return []string{"Genova", "Milano", "Torino", "Roma"} }

// write writes the campaign files into dir, with the tokens beside them, as secrets
// that the worker may read.
func (s *services) write(dir string) (paths []string, err error) {
	folder, err := filepath.Abs(filepath.Join(dir, secretFolder))
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	for name, text := range map[string]string{"x": x.Token, "instagram": instagram.Token} {
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)
		}
	}
	for name, text := range map[string]string{
		weatherCampaign: fmt.Sprintf(weatherFile, s.url),
		postsCampaign:   fmt.Sprintf(postsFile, s.url, folder),
		photosCampaign:  fmt.Sprintf(photosFile, s.url, folder, instagram.User),
	} {
		path := filepath.Join(dir, name+".yaml")
		if paths = append(paths, path); err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("write the demo's campaigns: %w", err)
	}
	return paths, nil
}

const weatherFile = `# two weather services, replicas on this machine
project: demo
campaigns:
  demo-weather:
    description: Weather of four cities, by two services
    tags: [demo, weather]
    schedule: every 6h
    processors: 3
    fetchers:
      - name: open-meteo
        fetcher: weather
        params:
          url: %[1]q
          places:
            - { name: Genova, latitude: 44.41, longitude: 8.93 }
            - { name: Milano, latitude: 45.46, longitude: 9.19 }
            - { name: Torino, latitude: 45.07, longitude: 7.69 }
            - { name: Roma, latitude: 41.9, longitude: 12.5 }
          days: 2
          time_zone: UTC
      - name: met-norway
        fetcher: weather
        params: { service: met-norway, url: %[1]q }
        split:
          key: place
          items:
            - { place: Genova, latitude: 44.41, longitude: 8.93 }
            - { place: Milano, latitude: 45.46, longitude: 9.19 }
            - { place: Torino, latitude: 45.07, longitude: 7.69 }
            - { place: Roma, latitude: 41.9, longitude: 12.5 }
`

const postsFile = `# what a city posts, by its line of before; a replica on this machine
project: demo
campaigns:
  demo-x:
    description: Posts of the city of Genova
    tags: [demo, social]
    schedule: every 1h
    fetcher: Twitter
    params: { channel: "@Genova", url: %q, token: "${secret:file:%s/x}" }
`

const photosFile = `# what a city shows, with its pictures; a replica on this machine
project: demo
campaigns:
  demo-instagram:
    description: Pictures of the city of Genova
    tags: [demo, social]
    schedule: every 1h
    fetcher: Instagram
    params: { account: genova, url: %q, token: "${secret:file:%s/instagram}", user: %q }
`
