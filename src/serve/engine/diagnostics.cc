#include "serve/engine/diagnostics.h"

#include "serve/engine/log_text.h"
#include "spdlog/spdlog.h"

namespace outrigger::engine {
namespace {

constexpr size_t kRememberedWarnings = 1024;

}  // namespace

void CountingDiagnostics::Malformed(std::string_view node, std::string_view field,
                                    std::string_view value, std::string_view accepted) {
  observer_->OnMalformed(agent_, field);
  if (!FirstTime(field, value)) return;
  spdlog::warn("{}{}{}: {}={} is not {}; treated as absent (warned about once)",
               agent_.empty() ? "request" : agent_, node.empty() ? "" : ": node ",
               node.empty() ? "" : ForLog(node), ForLog(field), ForLog(value), accepted);
}

bool CountingDiagnostics::FirstTime(std::string_view field, std::string_view value) {
  std::string key(field);
  key += '=';
  key += value.substr(0, 64);
  const MutexLock lock(mutex_);
  if (warned_.size() >= kRememberedWarnings) return false;
  return warned_.insert(std::move(key)).second;
}

}  // namespace outrigger::engine
