#pragma once

#include <string>
#include <utility>

#include "outrigger/agent/state_store.h"
#include "outrigger/base/mutex.h"
#include "state_form.h"

namespace outrigger::internal {

/// State in a file, for one that runs outside a cluster. The version is the file's own counter and
/// a sum of its bytes, so that an edit by hand is another version. A file that says that it belongs
/// to another agent is neither read nor written: FailedPrecondition. Of several processes one
/// writes at a time.
class FileState final : public StateStore {
 public:
  FileState(std::string path, std::string agent)
      : path_(std::move(path)), agent_(std::move(agent)) {}

  absl::StatusOr<StoredState> Load(const CallLimits& limits) override;
  absl::StatusOr<std::string> Save(const StoredState& state, const CallLimits& limits) override;
  std::string Place() const override { return "file " + path_; }

 private:
  absl::StatusOr<StoredState> Read(uint64_t* counter) const;
  absl::StatusOr<std::string> Replace(const StoredState& state, const CallLimits& limits) const;

  const std::string path_;
  const std::string agent_;
  Mutex mutex_;  // a lock of the folder is the process's
};

}  // namespace outrigger::internal
