#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "serve/engine/engine.h"
#include "serve/engine/instance.h"

namespace outrigger::engine {

/// The pages of all served agents. Immutable; as thread-safe as the agents are.
class Pages {
 public:
  /// None.
  Pages() = default;

  /// Collects what `instances` offer; they outlive this. InvalidArgument: a page that cannot be
  /// (FaultOf()), or two agents with a page of one name; the text names the agents.
  static absl::StatusOr<Pages> Of(const std::vector<Instance>& instances);

  const std::vector<OfferedPage>& offered() const { return offered_; }

  /// See Engine::ReadPage().
  absl::StatusOr<PageTable> Read(size_t page, size_t max_rows) const;

 private:
  absl::Status Add(const Instance& instance, PageSpec spec);

  std::vector<OfferedPage> offered_;
  std::vector<const PageSource*> sources_;  // by the same index
};

}  // namespace outrigger::engine
