#include <array>
#include <optional>

#include "cel/library/function.h"
#include "cel/values/semver.h"

namespace outrigger::cel {
namespace versions {
namespace {

using Args = std::span<const Value>;

bool ArgumentsFit(Args args) {
  return args[0].Is(Kind::kString) && (args.size() == 1 || args[1].Is(Kind::kBool));
}

Value FromText(Evaluation& evaluation, Args args) {
  if (!ArgumentsFit(args)) return NoSuchOverload("semver");
  std::string_view text = args[0].text();
  if (args.size() == 2 && args[1].boolean()) {
    const std::string normalised = NormalisedSemver(text);
    text = evaluation.arena.StoreText(normalised);
    if (text.size() != normalised.size()) return OutOfMemory();
  }
  std::string_view why;
  const std::optional<Semver> version = ParseSemver(text, &why);
  if (!version) return Value::Error(ErrorCode::kConversion, why);
  const Semver* stored = evaluation.arena.Store(*version);
  return stored == nullptr ? OutOfMemory() : Value::Of(stored);
}

Value IsSemver(Evaluation&, Args args) {
  if (!ArgumentsFit(args)) return NoSuchOverload("isSemver");
  const bool normalise = args.size() == 2 && args[1].boolean();
  const std::string text = normalise ? NormalisedSemver(args[0].text()) : std::string();
  return Value::Bool(ParseSemver(normalise ? text : args[0].text()).has_value());
}

template <uint64_t Semver::*Part>
Value PartOf(Evaluation&, Args args) {
  if (!args[0].Is(Kind::kSemver)) return NoSuchOverload("major");
  return Value::Int(static_cast<int64_t>(args[0].semver().*Part));
}

constexpr std::array kRows = {
    FunctionRow{"semver", "string>semver | string,bool>semver", FromText, CostRule::kTenthOfFirst},
    FunctionRow{"isSemver", "string>bool | string,bool>bool", IsSemver, CostRule::kTenthOfFirst},
    FunctionRow{"major", ".semver>int", PartOf<&Semver::major>, CostRule::kOne},
    FunctionRow{"minor", ".semver>int", PartOf<&Semver::minor>, CostRule::kOne},
    FunctionRow{"patch", ".semver>int", PartOf<&Semver::patch>, CostRule::kOne},
};

}  // namespace
}  // namespace versions

std::span<const FunctionRow> SemverFunctions() {
  return versions::kRows;
}

}  // namespace outrigger::cel
