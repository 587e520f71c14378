#include "wire_input.h"

#include "check.h"

namespace outrigger::fuzz {
namespace {

const nlohmann::json kNull;

bool SameInAnyCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [lower](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string_view WithoutLastBracket(std::string_view bytes) {
  return bytes.substr(0, bytes.find_last_of('}'));
}

bool IsBalanced(std::string_view bytes) {
  long open = 0;
  bool in_string = false;
  for (size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c == '"') in_string = !in_string;
    const char next = at + 1 < bytes.size() ? bytes[at + 1] : ' ';
    if (c == '\\' && (next == '"' || next == '\\')) ++at;
    if (in_string) continue;
    open += c == '{' || c == '[' ? 1 : 0;
    open -= c == '}' || c == ']' ? 1 : 0;
  }
  return open == 0 && !in_string;
}

nlohmann::json Parsed(std::string_view bytes) {
  return nlohmann::json::parse(bytes.begin(), bytes.end(), nullptr, /*allow_exceptions=*/false);
}

const nlohmann::json& AnyCase(const nlohmann::json& object, std::string_view key) {
  if (!object.is_object()) return kNull;
  for (auto field = object.begin(); field != object.end(); ++field) {
    // Of several spellings only one may be set, and null counts as absent.
    if (SameInAnyCase(field.key(), key) && !field->is_null()) return *field;
  }
  return kNull;
}

const nlohmann::json& Exact(const nlohmann::json& object, std::string_view key) {
  if (!object.is_object()) return kNull;
  const auto field = object.find(std::string(key));
  return field == object.end() ? kNull : *field;
}

std::string TextOf(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

void CheckStatus(const absl::Status& status) {
  if (status.ok()) return;
  OUTRIGGER_REQUIRE(status.code() == absl::StatusCode::kInvalidArgument ||
                    status.code() == absl::StatusCode::kFailedPrecondition);
  OUTRIGGER_REQUIRE(!status.message().empty());
}

bool BothAccept(const absl::Status& fewer, const absl::Status& all) {
  CheckStatus(fewer);
  if (fewer.ok() && !all.ok()) OUTRIGGER_REQUIRE(all.code() == absl::StatusCode::kInvalidArgument);
  if (!fewer.ok()) OUTRIGGER_REQUIRE(!all.ok());
  return fewer.ok() && all.ok();
}

void CheckTellsNothingOf(char padding, std::string_view bytes, const absl::Status& status) {
  const std::string run(8, padding);
  if (bytes.find(run) != std::string_view::npos) return;
  OUTRIGGER_REQUIRE(std::string(status.message()).find(run) == std::string::npos);
}

std::string ErrorOf(const std::string& answer) {
  const nlohmann::json parsed = Parsed(answer);
  OUTRIGGER_REQUIRE(parsed.is_object() && parsed.contains("Error"));
  OUTRIGGER_REQUIRE(parsed["Error"].is_string());
  return parsed["Error"].get<std::string>();
}

}  // namespace outrigger::fuzz
