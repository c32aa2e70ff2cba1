package blob

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// address says where a bucket is. Who we are is nowhere in it: addresses are
// shown and logged, credentials come from the environment.
type address struct {
	bucket    string
	prefix    string // of all keys; "" or with a slash at its end
	endpoint  string // "" is Amazon's own
	region    string // "" is the environment's
	pathStyle bool   // the bucket in the path instead of the host name
}

func parseAddress(text string) (address, error) {
	fail := func(format string, args ...any) (address, error) {
		return address{}, fmt.Errorf("the address of the file store "+format, args...)
	}
	u, err := url.Parse(text)
	if err != nil { // it repeats the text, which may hold a secret
		return fail("is not a URL")
	}
	if u.Scheme != "s3" || u.Host == "" {
		return fail("must look like s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1")
	}
	if u.User != nil {
		return fail("must not hold credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead")
	}
	a := address{bucket: u.Host, prefix: strings.Trim(u.Path, "/")}
	if a.prefix != "" {
		if !validKey(a.prefix) {
			return fail("has the prefix %q; letters, digits, '_', '-' and '.' between slashes are allowed", a.prefix)
		}
		a.prefix += "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return fail("has a query that is not one of a URL")
	}
	a.endpoint, a.region = query.Get("endpoint"), query.Get("region")
	if a.endpoint != "" {
		if err := checkEndpoint(a.endpoint); err != nil {
			return fail("has an endpoint that %w", err)
		}
	}
	// Servers other than Amazon's seldom have a host name for each bucket.
	a.pathStyle = a.endpoint != ""
	if value := query.Get("path_style"); value != "" {
		if a.pathStyle, err = strconv.ParseBool(value); err != nil {
			return fail("has path_style=%s; true or false is needed", value)
		}
	}
	for name := range query {
		switch name {
		case "endpoint", "region", "path_style":
		default: // its value may be a secret and is not repeated
			return fail("has the parameter %q, which is not known; endpoint, region and path_style are", name)
		}
	}
	return a, nil
}

func checkEndpoint(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("is not a URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("must begin with http:// or https:// and name a host")
	case u.User != nil:
		return errors.New("must not hold credentials")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("must not have a query of its own")
	}
	return nil
}
