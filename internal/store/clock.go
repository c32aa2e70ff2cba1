package store

import "time"

// clock tells the time as it is stored: in UTC, exact to the microsecond.
func (s *Store) clock() time.Time { return s.now().UTC().Truncate(time.Microsecond) }
