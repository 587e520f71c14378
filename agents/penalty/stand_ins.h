#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "books.h"
#include "class_table.h"
#include "outrigger/agent/cluster.h"
#include "outrigger/agent/custom_objects.h"
#include "outrigger/base/mutex.h"
#include "penalty/classes/mapping.h"
#include "penalty/classes/replacement.h"
#include "penalty/classes/time.h"
#include "reports.h"
#include "settings.h"

namespace outrigger::penalty {

/// Which classes ResourceQuotas name in their scopes: pods that get another class would not count
/// there. Thread-safe.
class Quotas final : private CustomObjectSink {
 public:
  /// Begins to follow them. `changed` is called after each change, by another thread.
  void Follow(CustomObjectAccess* cluster, std::function<void()> changed);

  /// Ok: what follows is as new as it has to be.
  absl::Status Usable() const;
  /// Returns a quota that names the class, "default/gold-pods"; empty: none does.
  std::string QuotaOf(std::string_view class_name) const;

 private:
  absl::Status Upsert(const CustomObjectName& object, std::string_view json) override;
  void Remove(const CustomObjectName& object) override;
  void Set(const CustomObjectName& object, std::set<std::string, std::less<>> classes);

  std::function<void()> changed_;
  mutable Mutex mutex_;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> named_
      ABSL_GUARDED_BY(mutex_);              // by quota
  std::unique_ptr<FollowedKind> followed_;  // last: ends before what it uses
};

/// The stand-ins of classes in the mode `mapped`; in the mode `recreate`, what was left of them. Of
/// the leading thread.
class StandIns {
 public:
  /// All that is pointed to outlives this.
  StandIns(ClusterAccess* cluster, const Options* options, Books* books, Reports* reports)
      : options_(*options),
        books_(*books),
        reports_(*reports),
        mapper_(cluster, cluster, options->claim.namespace_) {}

  /// Begins to follow quotas; `changed` as Quotas::Follow().
  void Follow(ClusterAccess* cluster, std::function<void()> changed);

  /// A term begins. Errors: those of the calls; it is to be tried again.
  absl::Status Begin(Millis now, const std::stop_token& term);
  /// Selected classes that a quota names are left alone.
  void LeaveAlone(ClassTable* table) const;
  /// Returns the class as one that was made again would be: with the value that new pods get.
  PriorityClass AsPodsGetIt(const PriorityClass& priority_class) const;

  /// As Mapper::Map(). Unavailable: quotas are not known.
  absl::StatusOr<std::optional<Replacement>> Map(const ReplaceRequest& request,
                                                 const ClassRules& rules,
                                                 const std::stop_token& term);
  absl::Status Unmap(const std::string& class_name, const std::stop_token& term) {
    return mapper_.Unmap(class_name, term);
  }
  std::optional<Millis> DueOf(std::string_view class_name) const {
    return mapper_.DueOf(class_name);
  }

  /// Does what is due for all classes. Returns the accounts whose pods do not get what is noted.
  std::vector<ClassAccount> Tidy(const ClusterView& view, Millis now, const std::stop_token& term);
  std::optional<Millis> NextTidy() const;

 private:
  void UnmapOthers(Millis now, const std::stop_token& term);
  void ReportNotMapped();

  const Options& options_;
  Books& books_;
  Reports& reports_;
  Mapper mapper_;
  std::set<std::string> not_mapped_;  // classes, reported
  std::optional<Millis> retry_at_;
  Quotas quotas_;
};

}  // namespace outrigger::penalty
