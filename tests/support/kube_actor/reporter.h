#pragma once

#include <memory>
#include <string>

#include "kube/api.h"
#include "kube/write/event_recorder.h"

namespace outrigger::kube_actor {

/// Records the events that it is told.
class Reporter {
 public:
  /// `api` outlives this.
  Reporter(kube::Api* api, const kube::EventOptions& options);

  /// Records `count` times what `command` says, a JSON object with count, kind, apiVersion,
  /// namespace, name, uid, warning, reason, action and note, all optional, and waits until it was
  /// written or dropped: {"written":N,"dropped":N}, of all since the start; or {"error":"..."}.
  std::string Record(const std::string& command);

 private:
  const std::unique_ptr<kube::EventRecorder> recorder_;
};

}  // namespace outrigger::kube_actor
