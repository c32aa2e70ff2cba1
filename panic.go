package fieldlift

import (
	"fmt"
	"runtime/debug"
)

// Panic is a panic that Guard has caught: a fault of ours that some input brings
// to light, and would again. Its stack is for the log.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Guard acts, and makes an error of a panic: the work on one document, in every
// goroutine that it has, must not end the process for all.
func Guard(act func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Panic{value, debug.Stack()}
		}
	}()
	return act()
}
