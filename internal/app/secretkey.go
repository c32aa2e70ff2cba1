package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"fieldlift/internal/seal"
)

// secretKeyName is the key within the data folder that was made there because
// none was given.
const secretKeyName = "secret.key"

// secretBox gives what opens webhooks' secrets; nil when there is no key yet.
func secretBox(c Config) (*seal.Box, error) {
	if c.SecretKey != "" {
		return newBox("--secret-key", c.SecretKey)
	}
	path := c.SecretKeyFile
	if path == "" {
		path = filepath.Join(c.DataDir, secretKeyName)
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && c.SecretKeyFile == "" {
		return nil, nil // commands that only look have no use for one
	}
	if err != nil {
		return nil, fmt.Errorf("read the secret key: %w", err)
	}
	return newBox(path, string(text))
}

func newBox(from, text string) (*seal.Box, error) {
	box, err := seal.New(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return box, nil
}

// makeSecretKey makes a key in the data folder, for our eyes only, unless there
// is one or another was given. Of several processes one makes it.
func makeSecretKey(c Config) error {
	path := filepath.Join(c.DataDir, secretKeyName)
	if _, err := os.Stat(path); err == nil || c.SecretKey != "" || c.SecretKeyFile != "" {
		return nil
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	// Written beside and linked when it is whole: nobody reads half a key, and none is written over.
	part, err := os.CreateTemp(c.DataDir, ".secret-*")
	if err != nil {
		return fmt.Errorf("make the secret key: %w", err)
	}
	defer os.Remove(part.Name())
	_, err = part.WriteString(seal.NewKey() + "\n")
	err = errors.Join(err, part.Sync(), part.Close())
	if err == nil {
		if err = os.Link(part.Name(), path); errors.Is(err, os.ErrExist) {
			err = nil // another process was quicker
		}
	}
	if err != nil {
		return fmt.Errorf("make the secret key: %w", err)
	}
	return nil
}
