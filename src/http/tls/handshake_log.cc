#include "http/tls/handshake_log.h"

#include <utility>

#include "fmt/format.h"

namespace outrigger::http {

HandshakeLog::HandshakeLog(std::function<void(const std::string&)> warn) : warn_(std::move(warn)) {}

void HandshakeLog::Failed(const std::string& peer, const std::string& why, Clock::time_point now) {
  if (warn_ == nullptr || !TakeTurn(peer, now)) return;
  warn_(fmt::format("TLS: a handshake with {} failed: {} (logged once a minute)", peer, why));
}

bool HandshakeLog::TakeTurn(const std::string& peer, Clock::time_point now) {
  const MutexLock lock(mutex_);
  const auto known = told_.find(peer);
  if (known != told_.end() && now - known->second < kQuiet) return false;
  if (known == told_.end() && told_.size() >= kMostPeers) {
    std::erase_if(told_, [now](const auto& entry) { return now - entry.second >= kQuiet; });
  }
  if (known == told_.end() && told_.size() >= kMostPeers) {
    if (others_told_ && now - *others_told_ < kQuiet) return false;
    others_told_ = now;
    return true;
  }
  told_[peer] = now;
  return true;
}

}  // namespace outrigger::http
