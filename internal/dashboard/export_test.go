package dashboard

// Routes lists the patterns of all pages, for tests that try them all.
func Routes() []string {
	var patterns []string
	for _, r := range (&Server{}).routes() {
		patterns = append(patterns, r.method+" "+r.path)
	}
	return patterns
}
