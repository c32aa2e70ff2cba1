package blob

import (
	"fmt"
	"strings"
)

// Limits that every file system and every S3 server allows, with room for a
// bucket's own prefix.
const (
	maxKey     = 512
	maxSegment = 200
)

// checkKey refuses what cannot be a key. Keys are made by this program, so a
// bad one is a mistake of ours, and must not reach a file system.
func checkKey(key string) error {
	if !validKey(key) {
		return fmt.Errorf("%q cannot be the key of a file", key)
	}
	return nil
}

// checkPrefix refuses what no key can begin with.
func checkPrefix(prefix string) error {
	if prefix != "" && !validKey(strings.TrimSuffix(prefix, "/")) {
		return fmt.Errorf("no key of a file begins with %q", prefix)
	}
	return nil
}

// validKey takes segments of letters, digits, '_', '-' and '.' between
// slashes. None begins with a dot: that keeps out "..", and leaves names to
// put our own files under.
func validKey(key string) bool {
	if len(key) > maxKey {
		return false
	}
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "" || segment[0] == '.' || len(segment) > maxSegment || strings.ContainsFunc(segment, notInKeys) {
			return false
		}
	}
	return true
}

func notInKeys(r rune) bool {
	letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	digit := '0' <= r && r <= '9'
	return !letter && !digit && r != '_' && r != '-' && r != '.'
}
