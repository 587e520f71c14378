#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "devices/allocation/demand/matches.h"
#include "devices/allocation/model/attribute_sets.h"
#include "devices/allocation/selectors.h"
#include "outrigger/base/mutex.h"

namespace outrigger::devices {

/// One class that a detail may take devices of.
struct ClassOption {
  std::vector<std::string> drivers;
  bool any_driver = false;
  std::string constraints;
};

/// What decides which sets serve a detail.
struct MatchQuery {
  std::vector<ClassOption> options;  ///< any of them will do
  std::string constraints;           ///< and this, too; empty: nothing more
};

/// What a demand needs and is not known yet.
struct Unknown {
  std::set<std::string> texts;                ///< to be compiled
  std::map<std::string, MatchQuery> queries;  ///< to be evaluated, by their keys
  absl::flat_hash_set<std::string> asked;     ///< keys of all queries, those known too
  size_t asked_bytes = 0;                     ///< of these
  size_t first = 0;                           ///< of `sets`
  std::vector<std::shared_ptr<const AttributeSet>> sets;
  bool empty() const { return texts.empty() && queries.empty(); }
};

/// What finding out may cost yet.
struct Effort {
  int64_t left = 0;  ///< in units of CEL's cost, about 10 ns each
  std::stop_token stop = {};
};

/// Remembers what claims of one namespace ask of the sets of one inventory, and the answers.
/// Thread-safe: a look never waits for an evaluation.
class MatchCache {
 public:
  /// So many expressions, and as many queries, are remembered; then all are forgotten at once.
  static constexpr size_t kMostRemembered = 1024;
  /// Of one demand: fewer, so that all that it needs is remembered.
  static constexpr size_t kMostAsked = 512;
  /// Attributes of one demand that are to be equal or different.
  static constexpr size_t kMostAttributes = 64;

  explicit MatchCache(const Selectors& selectors) : selectors_(selectors) {}

  /// What matches `query`. What is not known is added to `unknown`, and the result may be used for
  /// nothing. InvalidArgument: an expression does not compile, or costs too much.
  absl::StatusOr<std::shared_ptr<const Matches>> Find(const MatchQuery& query,
                                                      const AttributeSets& sets, Unknown* unknown);
  /// Whether an expression compiles, as far as that is known; an empty one does.
  absl::Status Check(const std::string& text, Unknown* unknown);
  std::shared_ptr<const ValueColumn> Values(std::string_view attribute, const AttributeSets& sets);

  /// Finds out, one caller at a time. ResourceExhausted: `effort` did not suffice; Cancelled: it
  /// was stopped. What was found until then is remembered.
  absl::Status FindOut(const Unknown& unknown, Effort* effort);

  /// About so many bytes are taken; beyond kMostBytes all is forgotten.
  size_t bytes() const;
  static constexpr size_t kMostBytes = size_t{32} << 20U;

 private:
  /// Immutable.
  struct Expression {
    std::unique_ptr<const Selector> selector;
    absl::Status fault;
  };
  struct Answer {
    std::shared_ptr<const Matches> matches;  // of the first sets, perhaps not of all
    int64_t cost = 0;
    absl::Status fault;  // it costs too much
  };
  struct Compiled;

  absl::Status FaultOf(const std::string& text, Unknown* unknown) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<const Expression> ExpressionOf(const std::string& text, Effort* effort);
  absl::Status Extend(const std::string& key, const MatchQuery& query, const Unknown& unknown,
                      Effort* effort);
  Answer AnswerOf(const std::string& key) const;
  void Forget(const Unknown& unknown);

  const Selectors& selectors_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<const Expression>> expressions_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Answer> answers_ ABSL_GUARDED_BY(mutex_);  // by query
  absl::flat_hash_map<std::string, std::shared_ptr<const ValueColumn>> values_
      ABSL_GUARDED_BY(mutex_);
  Mutex finding_out_;  // held for long, by FindOut()
};

}  // namespace outrigger::devices
