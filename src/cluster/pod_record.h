#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "outrigger/k8s/pod.h"

namespace outrigger::cluster {

/// A pod as the view of the cluster keeps it: packed into one block of memory, since tens of
/// thousands are kept and few are read in full. Immutable, thread-safe; views live as long as it.
class PodRecord {
 public:
  /// Packs `pod`.
  static std::shared_ptr<const PodRecord> Of(const Pod& pod);

  std::string_view name() const;
  std::string_view namespace_() const;
  std::string_view uid() const;
  /// Where the pod is bound, or, of an assumed pod, where it will be; empty: nowhere yet.
  std::string_view node_name() const;
  std::string_view phase() const;
  int32_t priority() const;
  /// Succeeded or Failed: it takes nothing of its node any more.
  bool is_terminal() const;

  /// The value of a label; a null view where it is absent. Nothing else is unpacked.
  std::string_view Label(std::string_view key) const;
  std::string_view Annotation(std::string_view key) const;

  /// The whole pod, as it was packed.
  Pod Unpack() const;

  /// Bytes of memory that it takes, the block of the shared pointer included.
  size_t bytes() const;
};

using PodPtr = std::shared_ptr<const PodRecord>;

}  // namespace outrigger::cluster
