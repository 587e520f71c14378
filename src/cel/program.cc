#include "cel/program.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "cel/check/checker.h"
#include "cel/check/type.h"
#include "cel/run/plan.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/error.h"
#include "cel/syntax/parser.h"
#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

constexpr std::string_view kWrongResult = "must evaluate to bool or the unknown type, not ";

absl::Status Failed(std::string_view text, const ErrorList& errors) {
  std::string message;
  for (const SyntaxError& error : errors.errors()) {
    Append(message, message.empty() ? "" : "\n", Describe(text, error));
  }
  return absl::InvalidArgumentError(message);
}

bool CanBeBool(const Type& type, const Environment& environment) {
  return SameType(type, types::kBool) || SameType(type, *environment.attribute);
}

}  // namespace

absl::StatusOr<Program> Program::Compile(std::string_view text, const Environment& environment) {
  auto content = std::make_shared<Content>();
  content->text = text;
  ErrorList errors;
  TypePool types;
  Ast ast(content->constants);
  Expr* root = Parse(content->text, ast, errors);
  if (root == nullptr) return Failed(text, errors);
  Check(*root, environment, types, errors);
  if (errors.empty()) Validate(*root, errors);
  if (!errors.empty()) return Failed(text, errors);
  content->output_type = FormatType(*root->type);
  if (environment.checks_result && !CanBeBool(*root->type, environment)) {
    return absl::InvalidArgumentError(Concat(kWrongResult, content->output_type));
  }
  content->plan = MakePlan(*root, environment, content->constants, errors);
  if (!errors.empty()) return Failed(text, errors);
  if (content->constants.exhausted()) {
    return absl::InvalidArgumentError("the constants of the expression need too much memory");
  }
  return Program(std::move(content));
}

bool Program::Uses(uint32_t variable) const {
  const std::vector<Node>& nodes = plan().nodes;
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) {
    return node.op == Op::kVariable && node.slot == variable;
  });
}

bool IsWrongResultType(const absl::Status& status) {
  const std::string message(status.message());
  return message.starts_with(kWrongResult);
}

}  // namespace outrigger::cel
