#pragma once

#include <csignal>

namespace outrigger::http_client {

/// Writing to a connection that has ended is an error on this thread, and does not end the process
/// by SIGPIPE, for as long as this lives: OpenSSL writes with write(2), and a deadline shuts the
/// connection down under it. Not thread-safe: create and destroy it on one thread.
class NoBrokenPipes {
 public:
  NoBrokenPipes();
  ~NoBrokenPipes();
  NoBrokenPipes(const NoBrokenPipes&) = delete;
  NoBrokenPipes& operator=(const NoBrokenPipes&) = delete;

 private:
  sigset_t before_ = {};
};

}  // namespace outrigger::http_client
