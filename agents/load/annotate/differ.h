#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "load/annotate/node_values.h"
#include "outrigger/base/clock.h"

namespace outrigger::annotate {

/// Which differences are worth a patch.
struct DiffPolicy {
  /// A number is written if it differs from what the node shows by more than this share of that.
  double threshold = 0;
  /// The longest time for which measured values stay unwritten since they moved too little.
  std::chrono::seconds refresh{600};
};

/// Returns the change that makes a node show `wanted` where it shows `shown`, without the
/// annotations `overdue`, which are removed. Empty: nothing is worth a patch. If one value is worth
/// it, all that differ are in the change, so that a node shows values of one moment. The
/// time of the measurement is not written while the node still shows a value that is missing now:
/// it would make an old value look new. A pure function.
NodeChange Difference(const NodeValues& wanted, const Annotations& shown,
                      const std::vector<std::string>& overdue, const DiffPolicy& policy);

/// Finds the annotations that are to be removed, since the source has had no value for them for
/// some time. Only annotations that the annotator writes are looked at. Not thread-safe.
class Forgetting {
 public:
  /// `keys`: the annotations that this annotator writes.
  Forgetting(std::vector<std::string> keys, std::chrono::seconds after)
      : keys_(std::move(keys)), after_(after) {}

  /// The annotations in `shown` that have had no value for long enough at `now`. One of
  /// Lack::kNotYet neither waits nor is due: its time begins again later.
  std::vector<std::string> Due(const NodeValues& wanted, const Annotations& shown,
                               Clock::TimePoint now);

  /// Forgets the nodes that are gone.
  void Retain(const std::function<bool(std::string_view node)>& is_there);

 private:
  using Since = std::map<std::string, Clock::TimePoint, std::less<>>;

  const std::vector<std::string> keys_;
  const std::chrono::seconds after_;
  std::map<std::string, Since, std::less<>> missing_;  // by node
};

}  // namespace outrigger::annotate
