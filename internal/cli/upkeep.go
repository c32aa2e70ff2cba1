package cli

import (
	"context"
	"fmt"
	"runtime"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/telemetry"
)

func upkeepCommands() []command {
	return []command{{
		name:    "migrate",
		summary: "Bring the database up to date",
		about: `
"fieldlift serve" does so by itself. This is for those who want it done before
new nodes start; several at once are safe.`,
		run: migrate,
	}, {
		name:    "doctor",
		summary: "Say what is missing and how to get it",
		about: `
Looks at the configuration, the data folder, the database, the secret key and
the address to listen on, and leaves them as they are. Takes the flags of "serve". Exits with 1 when
something would keep the service from running.`,
		run: doctor,
	}, {
		name:     "backup",
		synopsis: "FILE",
		summary:  "Copy a live SQLite store to a file",
		about: `
The copy is consistent, and the server goes on meanwhile. FILE must not exist.
To restore, stop the server and put the copy at DATA/fieldlift.db, without the
-wal and -shm files of the old one. PostgreSQL has pg_dump. The copy does not
hold DATA/secret.key, without which webhooks' secrets cannot be read: keep one
of it apart.

Example:

  fieldlift backup --data /var/lib/fieldlift /backup/fieldlift-$(date +%F).db`,
		run: backup,
	}, {
		name:    "version",
		summary: "Print the version",
		run:     version,
	}}
}

// openStore parses the flags of a command that has only those of the store,
// and the arguments that are named, and opens the store in the given way.
func openStore(ctx context.Context, c *call, open func(context.Context, app.Config) (*app.Store, error), named ...string) (*app.Store, []string, error) {
	stored := storeFlags(c)
	positional, err := c.parse(named...)
	if err != nil {
		return nil, nil, err
	}
	config := app.Default()
	config.Log = c.log()
	stored(&config)
	if err := c.err(config.ValidateStore()); err != nil {
		return nil, nil, err
	}
	opened, err := open(ctx, config)
	return opened, positional, err
}

func migrate(ctx context.Context, c *call) error {
	opened, _, err := openStore(ctx, c, app.OpenStore) // which migrates
	if err != nil {
		return err
	}
	defer opened.Close()
	_, err = fmt.Fprintf(c.Stdout, "The %s database is up to date.\n", opened.Kind())
	return err
}

func backup(ctx context.Context, c *call) error {
	// As it is: a backup before an upgrade must not be the upgrade.
	opened, positional, err := openStore(ctx, c, func(ctx context.Context, config app.Config) (*app.Store, error) {
		if !app.HasStore(config) {
			return nil, fmt.Errorf("there is no database in %s", config.DataDir)
		}
		return app.LookAtStore(ctx, config)
	}, "FILE")
	if err != nil {
		return err
	}
	defer opened.Close()
	return opened.Backup(ctx, positional[0])
}

func version(_ context.Context, c *call) error {
	if _, err := c.parse(); err != nil {
		return err
	}
	if err := c.err(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Stdout, "fieldlift %s (revision %s, %s, %s/%s)\n",
		fieldlift.Version, telemetry.Revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
