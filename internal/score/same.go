package score

// Same reports whether one returned scalar is what was expected; nothing is
// the same as nothing.
func Same(f Field, expected, got any) bool {
	if isBlank(expected) || isBlank(got) {
		return isBlank(expected) && isBlank(got)
	}
	right, _ := compare(f, expected, got)
	return right
}
