// The floor of the front benchmark: what an extender cannot do without, on a bare socket. It
// receives the body into one reused buffer, walks it with simdjson On-Demand and sends an answer
// that was prepared before. One thread, one request at a time.
//
//   outrigger_bench_floor --answer FILE --port-file FILE
//
//   POST /floor/...          receive, walk, send FILE
//   POST /receive-only/...   receive, send FILE
//   POST /parse-only/...     receive, then walk again and again: {"nodes":, "echoBytes":,
//                            "nanoseconds":} with the median time of one walk
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "walk.h"
#include "wire.h"

namespace outrigger::bench {
namespace {

class Floor {
 public:
  explicit Floor(std::string answer) : answer_(std::move(answer)) {}

  /// Serves connections until the process is ended.
  [[noreturn]] void Serve(int listener);

 private:
  /// One request of `socket`; false when it is over.
  bool Answer(int socket);
  std::string ParseTime();

  const std::string answer_;
  std::string path_;
  BodyBuffer body_;
  Walker walker_;
};

void Floor::Serve(int listener) {
  std::vector<pollfd> sockets{{listener, POLLIN, 0}};
  for (;;) {
    if (poll(sockets.data(), sockets.size(), -1) < 0) continue;
    for (size_t i = sockets.size() - 1; i > 0; --i) {
      if (sockets[i].revents == 0 || Answer(sockets[i].fd)) continue;
      close(sockets[i].fd);
      sockets.erase(sockets.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (sockets[0].revents == 0) continue;
    const int accepted = accept(listener, nullptr, nullptr);
    if (accepted < 0) continue;
    const int on = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockets.push_back({accepted, POLLIN, 0});
  }
}

bool Floor::Answer(int socket) {
  if (!Receive(socket, &path_, &body_)) return false;
  if (path_.starts_with("/parse-only/")) return Send(socket, ParseTime());
  if (path_.starts_with("/floor/")) walker_.Walk(body_.padded());
  return Send(socket, answer_);
}

std::string Floor::ParseTime() {
  using Clock = std::chrono::steady_clock;
  std::array<Clock::duration, 5> times;
  walker_.Walk(body_.padded());  // grows what has to grow
  for (Clock::duration& time : times) {
    const Clock::time_point begin = Clock::now();
    walker_.Walk(body_.padded());
    time = Clock::now() - begin;
  }
  std::sort(times.begin(), times.end());
  size_t echo = 0;
  for (const std::string_view slice : walker_.slices()) echo += slice.size();
  return "{\"nodes\":" + std::to_string(walker_.names().size()) +
         ",\"echoBytes\":" + std::to_string(echo) + ",\"nanoseconds\":" +
         std::to_string(std::chrono::nanoseconds(times[times.size() / 2]).count()) + "}";
}

int Run(const std::string& answer_file, const std::string& port_file) {
  std::ifstream in(answer_file, std::ios::binary);
  std::string answer{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  int port = 0;
  const int listener = Listen(&port);
  std::ofstream out(port_file);
  out << "{\"port\":" << port << "}" << std::flush;
  if (!in || !out) {
    std::fprintf(stderr, "outrigger_bench_floor: %s\n",
                 in ? "cannot write the port file" : "cannot read the answer");
    return 1;
  }
  std::signal(SIGPIPE, SIG_IGN);
  Floor(std::move(answer)).Serve(listener);
}

}  // namespace
}  // namespace outrigger::bench

int main(int argc, char** argv) {
  if (argc != 5 || std::strcmp(argv[1], "--answer") != 0 ||
      std::strcmp(argv[3], "--port-file") != 0) {
    std::fprintf(stderr, "usage: outrigger_bench_floor --answer FILE --port-file FILE\n");
    return 2;
  }
  try {
    return outrigger::bench::Run(argv[2], argv[4]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "outrigger_bench_floor: %s\n", e.what());
    return 1;
  }
}
