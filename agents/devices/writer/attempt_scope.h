#pragma once

#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "devices/writer/holdings.h"
#include "devices/writer/object_calls.h"
#include "devices/writer/writer.h"
#include "fmt/format.h"

namespace outrigger::device_writer {

/// What the steps of one attempt share. Not thread-safe.
struct AttemptScope {
  // All outlive it.
  const devices::PodOnNode& pod;
  const ObjectCalls& calls;
  const devices::WriterOptions& options;
  devices::Chooser& chooser;
  WallTime deadline;  // of the intents
  std::string changed =
      {};  // "claim ns/c": so that another attempt makes sense; empty: it does not

  /// Ends the attempt, because `what` is not what it was.
  absl::Status Changed(std::string what) {
    changed = std::move(what);
    return absl::AbortedError(fmt::format("{} changed while devices were written", changed));
  }
};

/// A claim, as it goes through the steps of an attempt.
struct Part {
  ClaimObject claim;
  devices::Grant grant = {};
  bool is_new = false;                                     // without devices before
  bool had_pod = false;                                    // it was the pod's before
  std::set<std::pair<std::string, WallTime>> fenced = {};  // writers and deadlines of intents
  bool is_renewed = false;  // it had devices, and an intent got a new deadline
  bool is_written = false;
};

}  // namespace outrigger::device_writer
