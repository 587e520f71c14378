#include "penalty/classes/journal/record.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "penalty/classes/policy/text.h"

namespace outrigger::penalty {
namespace {

constexpr std::string_view kCheck = "check=";

}  // namespace

std::string CheckOf(std::string_view key, std::string_view text) {
  uint32_t hash = 2'166'136'261U;
  const auto add = [&hash](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U; };
  for (const char c : key) add(c);
  add('\n');
  for (const char c : text) add(c);
  return fmt::format("{:08x}", hash);
}

void RecordWriter::Line(std::string_view line) {
  text_.append(line);
  text_ += '\n';
}

void RecordWriter::Add(std::string_view name, std::string_view value) {
  Line(fmt::format("{}={}", name, value));
}

void RecordWriter::Add(std::string_view name, int64_t value) {
  Line(fmt::format("{}={}", name, value));
}

void RecordWriter::Add(std::string_view name, double value) {
  Line(fmt::format("{}={}", name, value));  // the shortest text that is read as the same number
}

void RecordWriter::AddTime(std::string_view name, Millis time) {
  Add(name, TimeText(time));
}

std::string RecordWriter::Finish(std::string_view key) && {
  const std::string check = CheckOf(key, text_);
  Line(fmt::format("{}{}", kCheck, check));
  return std::move(text_);
}

RecordLines::RecordLines(std::string_view map, std::string_view key, std::string_view text,
                         std::vector<JournalFinding>* findings)
    : map_(map), key_(key), findings_(findings) {
  std::string_view checked;
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    ++number;
    if (line.substr(0, kCheck.size()) == kCheck) {
      // Exactly this, and nothing after it.
      is_intact_ = text.substr(at) == fmt::format("{}{}\n", kCheck, CheckOf(key, checked));
    } else if (!line.empty()) {
      lines_.push_back({number, line});
    }
    at = end + 1;
    checked = text.substr(0, std::min(at, text.size()));
  }
  if (!is_intact_) Report(0, "was edited: its checksum does not match");
}

void RecordLines::Report(int line, std::string_view text) {
  findings_->push_back(
      {Printable(Shortened(map_, 253)), Printable(Shortened(key_, 253)), line, std::string(text)});
}

RecordFields::RecordFields(RecordLines* lines) : lines_(lines) {
  for (const RecordLines::Line& line : lines->lines()) {
    const size_t equals = line.text.find('=');
    if (equals == std::string_view::npos) {
      lines->Report(line.number, fmt::format("{} has no \"=\"", Quoted(line.text)));
      continue;
    }
    const std::string_view name = line.text.substr(0, equals);
    if (Find(name) != nullptr) {
      lines->Report(line.number, fmt::format("{} is there twice", Quoted(name)));
      continue;
    }
    fields_.push_back({line.number, name, line.text.substr(equals + 1)});
  }
  for (Field& field : fields_) field.is_used = false;
}

RecordFields::Field* RecordFields::Find(std::string_view name) {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [name](const Field& field) { return field.name == name; });
  if (found == fields_.end()) return nullptr;
  found->is_used = true;
  return &*found;
}

void RecordFields::Missing(std::string_view name) {
  lines_->Report(0, fmt::format("{} is missing", name));
}

void RecordFields::Wrong(const Field& field, std::string_view accepted) {
  lines_->Report(field.line, fmt::format("{}: {} is not accepted; expected {}", field.name,
                                         Quoted(field.value), accepted));
}

std::optional<std::string_view> RecordFields::Text(std::string_view name) {
  const Field* field = Find(name);
  if (field != nullptr) return field->value;
  Missing(name);
  return std::nullopt;
}

std::optional<int64_t> RecordFields::Integer(std::string_view name, int64_t least, int64_t most) {
  const Field* field = Find(name);
  if (field == nullptr) {
    Missing(name);
    return std::nullopt;
  }
  const std::optional<int64_t> number = IntegerOf(field->value);
  if (number && *number >= least && *number <= most) return number;
  Wrong(*field, fmt::format("an integer from {} to {}", least, most));
  return std::nullopt;
}

std::optional<double> RecordFields::Number(std::string_view name, double least, double most) {
  const Field* field = Find(name);
  if (field == nullptr) {
    Missing(name);
    return std::nullopt;
  }
  const std::optional<double> number = NumberOf(field->value);
  if (number && *number >= least && *number <= most) return number;
  Wrong(*field, fmt::format("a number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<Millis> RecordFields::Time(std::string_view name) {
  const Field* field = Find(name);
  if (field == nullptr) {
    Missing(name);
    return std::nullopt;
  }
  const std::optional<Millis> time = TimeOf(field->value);
  if (!time) Wrong(*field, "a time such as 2026-11-25T21:49:49.123Z");
  return time;
}

std::optional<Millis> RecordFields::TimeOrNone(std::string_view name) {
  if (Find(name) == nullptr) return 0;
  return Time(name);
}

void RecordFields::ReportUnknown() {
  for (const Field& field : fields_) {
    if (!field.is_used) {
      lines_->Report(field.line, fmt::format("{} is not known", Quoted(field.name)));
    }
  }
}

}  // namespace outrigger::penalty
