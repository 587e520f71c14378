#include <algorithm>
#include <mutex>
#include <utility>

#include "kube/transport/curl_call.h"
#include "kube/transport/curl_connection.h"
#include "kube/transport/transport.h"

namespace outrigger::kube {
namespace {

constexpr std::chrono::seconds kIdleFor{60};
constexpr size_t kMostIdle = 512;

// Once for the process, before its first handle.
bool CurlIsReady() {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return ready;
}

class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(CurlTarget target) : target_(std::move(target)) {}

  absl::StatusOr<WireAnswer> Send(const WireRequest& request, const ByteSink* sink) override {
    std::unique_ptr<CurlConnection> connection = Take(request.identity);
    if (!connection) connection = CurlConnection::Create(target_, request.identity);
    if (!connection) return absl::UnavailableError("libcurl: no memory, or an option it lacks");
    auto answer = CurlCall(target_, request, sink, connection.get()).Run();
    GiveBack(std::move(connection), request.identity.get());
    return answer;
  }

 private:
  using Connections = std::vector<std::unique_ptr<CurlConnection>>;

  std::unique_ptr<CurlConnection> Take(const std::shared_ptr<const TlsIdentity>& identity) {
    Connections other;  // closed outside of the lock
    const std::lock_guard<std::mutex> lock(mutex_);
    while (!idle_.empty()) {
      std::unique_ptr<CurlConnection> last = std::move(idle_.back());
      idle_.pop_back();
      if (last->identity() == identity.get()) return last;
      // Of an identity that was replaced. A new handle has no TLS session of the old one either.
      other.push_back(std::move(last));
    }
    return nullptr;
  }

  void GiveBack(std::unique_ptr<CurlConnection> connection, const TlsIdentity* /*identity*/) {
    Connections old;
    const std::lock_guard<std::mutex> lock(mutex_);
    const Clock::TimePoint now = std::chrono::steady_clock::now();
    connection->idle_since = now;
    idle_.push_back(std::move(connection));
    // The order is that of giving back: those at the front have waited longest.
    const auto fresh = std::find_if(idle_.begin(), idle_.end(), [&](const auto& one) {
      return now - one->idle_since < kIdleFor;
    });
    auto end = fresh;
    if (idle_.size() > kMostIdle) {
      end = std::max(end, idle_.end() - static_cast<std::ptrdiff_t>(kMostIdle));
    }
    if (end == idle_.begin()) return;
    old.assign(std::make_move_iterator(idle_.begin()), std::make_move_iterator(end));
    idle_.erase(idle_.begin(), end);
  }

  const CurlTarget target_;
  std::mutex mutex_;
  Connections idle_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> MakeCurlTransport(const ClientConfig& config) {
  if (!CurlIsReady()) return absl::UnavailableError("libcurl cannot be initialised");
  auto target = MakeCurlTarget(config);
  if (!target.ok()) return target.status();
  return std::make_unique<CurlTransport>(*std::move(target));
}

}  // namespace outrigger::kube
