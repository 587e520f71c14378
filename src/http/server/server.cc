#include "http/server.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "http/request/parser.h"
#include "http/server/acceptor.h"
#include "http/server/connection.h"
#include "http/server/connection_driver.h"
#include "http/server/poller.h"
#include "http/server/shared.h"
#include "http/tls/tls.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"
#include "sdk/base/url.h"

namespace outrigger::http {
namespace {

using std::chrono::milliseconds;
using Held = Poller::Held;

class ServerImpl final : public Server {
 public:
  ServerImpl(const ServerOptions& options, Handler handler, Fd listener,
             std::unique_ptr<TlsContext> tls, std::unique_ptr<Poller> poller)
      : shared_(options),
        poller_(std::move(poller)),
        driver_(std::move(handler), shared_, *poller_),
        acceptor_(std::move(listener), std::move(tls), shared_, *poller_, driver_) {
    poller_->Start(acceptor_.listener(), options.trim_every,
                   {.ready = [this](Held connection) { driver_.Resume(std::move(connection)); },
                    .acceptable = [this] { acceptor_.AcceptWaiting(); },
                    .now_and_then = [this] { Trim(); }});
  }
  ~ServerImpl() override { Drain(milliseconds{0}); }

  uint16_t port() const override { return acceptor_.port(); }
  ServerStats stats() const override;
  void Drain(milliseconds patience) override;

 private:
  void Trim();
  void CutOff();

  Shared shared_;
  const std::unique_ptr<Poller> poller_;
  ConnectionDriver driver_;
  Acceptor acceptor_;

  Mutex drain_mutex_;  // one Drain() at a time
  bool drained_ ABSL_GUARDED_BY(drain_mutex_) = false;
};

ServerStats ServerImpl::stats() const {
  ServerStats stats{.handshakes_failed = shared_.handshakes_failed,
                    .requests_refused = shared_.refused,
                    .calls_abandoned = shared_.abandoned,
                    .streams = shared_.streams,
                    .body_bytes = shared_.memory.held()};
  acceptor_.Count(&stats);
  driver_.Count(&stats);
  return stats;
}

void ServerImpl::Trim() {
  shared_.bodies.Trim();
  shared_.answers.Trim();
  if (shared_.options.trim) shared_.options.trim();
}

void ServerImpl::CutOff() {
  for (const Held& connection : poller_->All()) {
    connection->Abandon();
    connection->Abort();
  }
}

void ServerImpl::Drain(milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  const MutexLock one_at_a_time(drain_mutex_);
  if (std::exchange(drained_, true)) return;
  shared_.draining = true;
  for (Held& idle : poller_->TakeIdle()) driver_.Resume(std::move(idle));
  for (const Held& connection : poller_->All()) poller_->Nudge(connection->number());  // streams
  driver_.AwaitNoConnections(deadline);
  acceptor_.Close();
  driver_.AwaitNoConnections(deadline);
  CutOff();
  driver_.AwaitNoConnections(Clock::time_point::max());
  poller_->Stop();
  driver_.Finish();
}

}  // namespace

std::string_view Request::Header(std::string_view name) const {
  for (std::string_view rest = fields; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (line.size() > name.size() && line[name.size()] == ':' &&
        SameText(line.substr(0, name.size()), name)) {
      return line.substr(name.size() + 1);
    }
  }
  return {};
}

std::string ForeignPageFault(const Request& request) {
  const std::string_view host = request.Header("Host");
  const std::string_view name =
      host.starts_with('[') ? host.substr(1, host.find(']') - 1) : host.substr(0, host.find(':'));
  if (!host.empty() && !IsLoopback(name)) {
    return fmt::format(
        "the header Host \"{}\" names no loopback address: use 127.0.0.1 or localhost",
        Printable(host));
  }
  return request.Header("Origin").empty() ? ""
                                          : "requests of web pages (header Origin) are refused";
}

size_t MaxConnections(const ServerOptions& options) {
  return std::max(options.max_connections, options.max_blocked + kSpareConnections);
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      Handler handler) {
  std::unique_ptr<TlsContext> tls;
  if (options.tls) {
    auto loaded = TlsContext::Load(*options.tls, options.warn);
    if (!loaded.ok()) return loaded.status();
    tls = *std::move(loaded);
  }
  auto listener = Listen(options.bind, options.port);
  if (!listener.ok()) return listener.status();
  auto poller = Poller::Create();
  if (!poller.ok()) return poller.status();
  return std::make_unique<ServerImpl>(options, std::move(handler), std::move(*listener),
                                      std::move(tls), *std::move(poller));
}

}  // namespace outrigger::http
