#include "cli/look/port_forward.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "console/process/child.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli::look {
namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr int kTickMs = 100;
constexpr size_t kMostKept = 4096;  // bytes of what kubectl writes
constexpr std::string_view kForwards = "Forwarding from ";

std::vector<std::string> WordsOf(const ForwardRequest& request) {
  std::vector<std::string> words = {request.kubectl};
  words.insert(words.end(), request.flags.begin(), request.flags.end());
  for (const char* const word : {"port-forward", "--address", "127.0.0.1", "-n"}) {
    words.emplace_back(word);
  }
  words.push_back(request.name_space);
  words.push_back("pod/" + request.pod);
  words.push_back(fmt::format("{}:{}", request.local_port, request.admin_port));
  return words;
}

// 0: the port is taken.
uint16_t TryPort(uint16_t port) {
  const http::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): sockets
  socklen_t size = sizeof address;
  if (bind(fd.get(), any, size) != 0 || listen(fd.get(), 1) != 0) return 0;
  return getsockname(fd.get(), any, &size) == 0 ? ntohs(address.sin_port) : 0;
}

}  // namespace

std::string ForwardCommand(const ForwardRequest& request) {
  std::vector<std::string> words = WordsOf(request);
  words[0] = "kubectl";
  return Printable(absl::StrJoin(words, " "));
}

uint16_t FreePort(uint16_t wanted) {
  const uint16_t port = TryPort(wanted);
  return port != 0 ? port : TryPort(0);
}

absl::StatusOr<std::unique_ptr<PortForward>> PortForward::Start(const ForwardRequest& request,
                                                                const std::stop_token& stop) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return absl::UnavailableError(fmt::format("no pipe: {}", std::strerror(errno)));
  }
  http::Fd output(ends[0]);
  http::Fd input(ends[1]);
  fcntl(output.get(), F_SETFL, O_NONBLOCK);
  const auto child = StartChild(WordsOf(request), input.get());
  if (!child.ok()) return child.status();
  input.Close();
  std::unique_ptr<PortForward> forward(new PortForward(*child, std::move(output)));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (forward->written_.find(kForwards) == std::string::npos) {
    if (stop.stop_requested()) return absl::CancelledError("stopped");
    if (!forward->Read(kTickMs)) {
      return absl::UnavailableError(fmt::format("kubectl port-forward has ended: {}; it was: {}",
                                                forward->LastLine(), ForwardCommand(request)));
    }
    if (std::chrono::steady_clock::now() < end) continue;
    return absl::DeadlineExceededError(
        fmt::format("kubectl does not forward within {} s; try by hand: {}", kPatience.count(),
                    ForwardCommand(request)));
  }
  return forward;
}

PortForward::~PortForward() {
  if (!has_ended_) EndChild(child_);
}

bool PortForward::Read(int wait_ms) {
  if (has_ended_) return false;
  pollfd ready{output_.get(), POLLIN, 0};
  if (poll(&ready, 1, wait_ms) <= 0) return true;
  std::array<char, kMostKept> bytes{};
  const ssize_t count = read(output_.get(), bytes.data(), bytes.size());
  if (count > 0) {
    written_.append(bytes.data(), static_cast<size_t>(count));
    if (written_.size() > kMostKept) written_.erase(0, written_.size() - kMostKept);
    return true;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  // The end of its output is its end.
  EndChild(child_);
  has_ended_ = true;
  return false;
}

bool PortForward::Runs() {
  constexpr int kMostReads = 32;  // more than a pipe holds
  for (int i = 0; i < kMostReads; ++i) {
    if (!Read(0)) return false;
  }
  return true;
}

std::string PortForward::LastLine() const {
  std::string last = "no message";
  const std::vector<std::string> lines = absl::StrSplit(written_, '\n', absl::SkipWhitespace());
  for (const std::string& line : lines) {
    const bool is_usual = line.starts_with(kForwards) || line.starts_with("Handling connection");
    if (!is_usual) last = Printable(Trimmed(line));
  }
  return last;
}

}  // namespace outrigger::cli::look
