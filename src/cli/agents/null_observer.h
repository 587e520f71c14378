#pragma once

#include "serve/engine/observer.h"

namespace outrigger::cli {

/// For agents that are asked for the sake of a person: nobody counts.
class NobodyWatches final : public engine::Observer {
 public:
  void OnCall(const engine::CallRecord& /*call*/) override {}
  void OnRejected(std::string_view /*agent*/, std::string_view /*reason_class*/,
                  size_t /*count*/) override {}
  void OnMalformed(std::string_view /*agent*/, std::string_view /*field*/) override {}
  void OnUnknownNodes(std::string_view /*agent*/, size_t /*count*/) override {}
};

}  // namespace outrigger::cli
