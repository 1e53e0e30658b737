package main

import (
	"testing"

	"overdue/internal/plugin/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m, "check_prewarm_pool", main) }

func TestScripts(t *testing.T) { commandtest.Run(t) }
