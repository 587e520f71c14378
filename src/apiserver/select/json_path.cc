#include "apiserver/select/json_path.h"

#include <charconv>

#include "absl/strings/ascii.h"
#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {
namespace {

bool IsQuoted(std::string_view text) {
  return text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0];
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && absl::ascii_isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

bool JsonPath::ParseBracket(std::string_view inside) {
  if (inside == "*") {
    steps_.push_back({.kind = Step::Kind::kEach});
    return true;
  }
  if (IsQuoted(inside)) {
    const std::string_view name = inside.substr(1, inside.size() - 2);
    steps_.push_back({.kind = Step::Kind::kMember, .name = std::string(name)});
    return true;
  }
  if (inside.starts_with("?(@.") && inside.ends_with(')')) {
    const size_t sign = inside.find("==");
    if (sign == std::string_view::npos) return false;
    const std::string_view value = Trimmed(inside.substr(sign + 2, inside.size() - sign - 3));
    Step step = {.kind = Step::Kind::kWhere,
                 .name = std::string(Trimmed(inside.substr(4, sign - 4)))};
    step.value = IsQuoted(value) ? Json(value.substr(1, value.size() - 2))
                                 : Json::parse(value, nullptr, /*allow_exceptions=*/false);
    steps_.push_back(step);
    return !step.value.is_discarded();
  }
  Step step = {.kind = Step::Kind::kIndex};
  const auto [end, error] =
      std::from_chars(inside.data(), inside.data() + inside.size(), step.index);
  steps_.push_back(step);
  return error == std::errc() && end == inside.data() + inside.size();
}

bool JsonPath::Parse(std::string_view text) {
  steps_.clear();
  if (text.empty() || (text[0] != '.' && text[0] != '[')) return false;
  while (!text.empty() && text != ".") {
    if (text[0] == '[') {
      const size_t end = text.starts_with("[?") ? text.find(")]") + 1 : text.find(']');
      if (end == std::string_view::npos || end == 0) return false;
      if (!ParseBracket(Trimmed(text.substr(1, end - 1)))) return false;
      text.remove_prefix(end + 1);
      continue;
    }
    if (text[0] != '.') return false;
    Step step = {.kind = Step::Kind::kMember};
    size_t i = 1;
    for (; i < text.size() && text[i] != '.' && text[i] != '['; ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      step.name += text[i];
    }
    if (step.name.empty() && (i >= text.size() || text[i] != '[')) return false;
    if (step.name == "*") step.kind = Step::Kind::kEach;
    if (!step.name.empty()) steps_.push_back(step);
    text.remove_prefix(i);
  }
  return true;
}

const Json* JsonPath::Find(const Json& object) const {
  return FindFrom(object, 0);
}

const Json* JsonPath::FindFrom(const Json& value, size_t at) const {
  if (at == steps_.size()) return &value;
  const Step& step = steps_[at];
  if (step.kind == Step::Kind::kMember) {
    const auto member = value.is_object() ? value.find(step.name) : value.end();
    return member == value.end() ? nullptr : FindFrom(*member, at + 1);
  }
  if (step.kind == Step::Kind::kIndex) {
    const auto size = static_cast<int64_t>(value.is_array() ? value.size() : 0);
    const int64_t index = step.index < 0 ? step.index + size : step.index;
    if (index < 0 || index >= size) return nullptr;
    return FindFrom(value[static_cast<size_t>(index)], at + 1);
  }
  if (!value.is_structured()) return nullptr;
  for (const Json& item : value) {
    if (step.kind == Step::Kind::kWhere) {
      const Json* compared = ValueAt(item, step.name);
      if (compared == nullptr || *compared != step.value) continue;
    }
    if (const Json* found = FindFrom(item, at + 1)) return found;
  }
  return nullptr;
}

}  // namespace outrigger::apiserver
