package reader

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// ownGroup puts a process into a group of its own, that can be killed whole,
// and has it die with its parent.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // fails only when it is gone already
}

// killedFromOutside tells a process that was killed from one that crashed. A
// memory limit of the machine or the container kills so.
func killedFromOutside(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// residentMemory is how much memory a process holds, 0 when that is unknown.
func residentMemory(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// volunteer has the kernel, when memory runs out, take this process before the
// service itself.
func volunteer() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0o600) // where it cannot be had, we do without
}
