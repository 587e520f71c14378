#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/k8s/resources.h"

namespace outrigger::plan {

/// An amount of one resource.
struct Amount {
  size_t column;
  int64_t value;  // thousandths of a cpu; whole units of everything else, as kube-scheduler counts
  friend bool operator==(const Amount&, const Amount&) = default;
};

/// The resources that pods which want a place ask for, by number: nodes are rows of amounts. The
/// number of pods is always the first. Not thread-safe.
class Columns {
 public:
  static constexpr size_t kPodCount = 0;

  Columns() : names_{std::string(kPods)} {}

  size_t size() const { return names_.size(); }
  const std::string& Name(size_t column) const { return names_[column]; }
  /// The column of that name, which is added if it is new. Of names that no node has (`is_offered`
  /// is false) only the first kMostAbsent get one of their own: pods may name any number. The
  /// others share one that no node has anything of.
  size_t Of(std::string_view name, bool is_offered);
  /// True for a name that shares a column.
  bool Shares(std::string_view name) const { return sharing_.contains(name); }
  /// Names that share a column.
  size_t sharing() const { return sharing_.size(); }
  /// What `list` says of each column.
  void Fill(const ResourceList& list, int64_t* row) const;
  static int64_t ValueOf(std::string_view name, const Quantity& quantity);

 private:
  static constexpr size_t kMostAbsent = 64;
  static constexpr std::string_view kAbsent = "a resource that no node has";

  std::vector<std::string> names_;
  size_t absent_ = 0;  // of these: of no node when they were added
  std::set<std::string, std::less<>> sharing_;
};

}  // namespace outrigger::plan
