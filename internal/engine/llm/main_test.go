package llm_test

import (
	"os"
	"testing"

	"fieldlift/internal/apptest"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }
