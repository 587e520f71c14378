package process

import (
	"fmt"
	"syscall"
)

// HeldPort is a TCP port of the loopback address that the kernel gives to nobody while it is held. Connections to it are
// refused. It is for the time in which the program that has the port is away: with many programs that come and go, a
// port that is free for some seconds is taken now and then. Not safe for concurrent use.
type HeldPort struct {
	Port   int
	socket int // bound, and not listening; -1: released
}

// HoldPort holds a port that is free; 0: any.
func HoldPort(port int) (*HeldPort, error) {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("hold port %d: %w", port, err)
	}
	h := &HeldPort{socket: socket}
	// Connections of the program that was there may not be over yet.
	err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(socket, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	}
	var name syscall.Sockaddr
	if err == nil {
		name, err = syscall.Getsockname(socket)
	}
	if err != nil {
		h.Release()
		return nil, fmt.Errorf("hold port %d: %w", port, err)
	}
	h.Port = name.(*syscall.SockaddrInet4).Port
	return h, nil
}

// Release lets the port go, for the program that is started next. A nil port, and one that was released, is none.
func (h *HeldPort) Release() {
	if h == nil || h.socket < 0 {
		return
	}
	_ = syscall.Close(h.socket)
	h.socket = -1
}
