package weather

import "time"

const stamp = "2006-01-02T15:04Z"

// Hours are the ids of the hours that Open-Meteo lists of a place, asked for so many
// days in UTC.
func (s *Service) Hours(place string, days int) (ids []string) {
	at := s.config.Now().UTC().Truncate(24 * time.Hour)
	for range 24 * days {
		ids = append(ids, "open-meteo/"+place+"/hour/"+at.Format(stamp))
		at = at.Add(time.Hour)
	}
	return ids
}

// METHours are the ids of the times that MET Norway lists of a place.
func (s *Service) METHours(place string) (ids []string) {
	for _, at := range s.metTimes() {
		ids = append(ids, "met-norway/"+place+"/hour/"+at.UTC().Format(stamp))
	}
	return ids
}

// metTimes are hours, then every sixth.
func (s *Service) metTimes() (list []time.Time) {
	for at := s.config.Now().Truncate(time.Hour); len(list) < METTimes; {
		list = append(list, at)
		if at = at.Add(time.Hour); len(list) > METTimes/2 {
			at = at.Add(5 * time.Hour)
		}
	}
	return list
}
