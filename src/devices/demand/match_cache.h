#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "devices/demand/matches.h"
#include "devices/model/attribute_sets.h"
#include "outrigger/devices/selectors.h"

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

/// Remembers results of expressions by set, of one inventory at a time. Thread-compatible.
class MatchCache {
 public:
  explicit MatchCache(const Selectors& selectors) : selectors_(selectors) {}

  /// Forgets all sets if `epoch` is not that of the call before.
  void Begin(const AttributeSets& sets, uint64_t epoch);

  /// InvalidArgument: an expression does not compile.
  absl::StatusOr<std::shared_ptr<const Matches>> Find(const MatchQuery& query);
  /// Whether an expression compiles; an empty one does.
  absl::Status Check(const std::string& text);
  std::shared_ptr<const ValueColumn> Values(std::string_view attribute);

 private:
  enum class Result : uint8_t { kUnknown, kTrue, kFalse, kFails };
  struct Expression {
    std::unique_ptr<const Selector> selector;
    absl::Status fault;
    std::vector<Result> of;  // by SetId
    absl::flat_hash_map<SetId, std::string> errors;
  };

  absl::StatusOr<Expression*> Compile(const std::string& text);
  Result Evaluate(Expression* expression, SetId set);
  Match Judge(const MatchQuery& query, const std::vector<Expression*>& of_classes, Expression* own,
              SetId set, std::string* error);
  Match JudgeOption(const ClassOption& option, Expression* of_class, Expression* own, SetId set,
                    std::string* error);

  const Selectors& selectors_;
  const AttributeSets* sets_ = nullptr;
  uint64_t epoch_ = 0;
  absl::node_hash_map<std::string, Expression> expressions_;
  absl::flat_hash_map<std::string, std::shared_ptr<const Matches>> matches_;  // by query
  absl::flat_hash_map<std::string, std::shared_ptr<const ValueColumn>> values_;
};

}  // namespace outrigger::devices
