#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "cel/check/environment.h"
#include "cel/run/plan.h"
#include "cel/values/arena.h"

namespace outrigger::cel {

/// A compiled expression. Immutable, so any number of threads may evaluate it at once, each with an
/// Evaluator of its own. Cheap to copy.
class Program {
 public:
  /// Compiles `text` for what `environment` has. InvalidArgument has the text of each error with
  /// line, column, a caret, and what would be right ("ERROR: <input>:1:5: ...", as upstream prints
  /// it). Bounds: 10 240 characters, nesting of 250.
  ///
  /// Where the environment checks results, an expression that can never be bool is refused too.
  static absl::StatusOr<Program> Compile(std::string_view text, const Environment& environment);

  /// The expression as it was written.
  const std::string& text() const { return content_->text; }

  /// The type that the result has as far as is known before it is evaluated: "bool", "any".
  const std::string& output_type() const { return content_->output_type; }

  /// Whether it names this variable of the environment, by its place there.
  bool Uses(uint32_t variable) const;

  const Plan& plan() const { return content_->plan; }

 private:
  struct Content {
    std::string text;
    std::string output_type;
    Arena constants{kMostConstants};
    Plan plan;
  };
  static constexpr size_t kMostConstants = size_t{16} << 20U;

  explicit Program(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  std::shared_ptr<const Content> content_;
};

/// Whether an InvalidArgument of Compile() says that the expression itself is right but its result
/// can never be bool.
bool IsWrongResultType(const absl::Status& status);

}  // namespace outrigger::cel
