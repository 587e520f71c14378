#include "console/reading/object_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "console/format/text.h"
#include "console/format/yaml_json.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

// Reads JSON for nothing but the place where it breaks, which simdjson does not tell.
class BreakFinder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return true; }
  bool key(string_t& /*value*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*elements*/) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    // JSON bounds no number; this parser does, and what lies behind one such is not looked at.
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr) return false;
    at_ = position;
    what_ = error.what();
    return false;
  }

  bool found() const { return !what_.empty(); }
  size_t at() const { return at_; }
  // Behind "[json.exception...] parse error at line 1, column 2: ".
  std::string what() const {
    const size_t colon = what_.find(": ");
    return colon == std::string::npos ? what_ : what_.substr(colon + 2);
  }

 private:
  size_t at_ = 0;
  std::string what_;
};

// "" if `text` is JSON, or breaks behind a number that no double holds.
std::string BreakIn(const std::string& name, std::string_view text) {
  BreakFinder finder;
  if (nlohmann::json::sax_parse(text, &finder) || !finder.found()) return "";
  const std::string_view before = text.substr(0, finder.at() == 0 ? 0 : finder.at() - 1);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return Printable(fmt::format("{}:{}:{}: not JSON: {}", name,
                               1 + std::count(before.begin(), before.end(), '\n'),
                               before.size() - line_start + 1, finder.what()));
}

absl::Status Prefixed(const std::string& prefix, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      Printable(fmt::format("{}: {}", prefix, std::string(status.message()))));
}

// Pads `text`, of which that is then no part.
absl::Status ReadJson(std::string* text, json::OnObject on_object) {
  const size_t size = text->size();
  text->append(json::kPadding, '\0');
  absl::Status status = json::ForEachObject({text->data(), size}, on_object);
  text->resize(size);
  return status;
}

}  // namespace

absl::Status ForEachObjectInFile(const std::string& name, std::string text,
                                 json::OnObject on_object) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) {
    return absl::InvalidArgumentError(
        fmt::format("{}: is empty; expected objects as kubectl prints them, YAML or JSON", name));
  }
  if (text[first] == '{' || text[first] == '[') {
    absl::Status status = ReadJson(&text, on_object);
    if (absl::IsInvalidArgument(status)) {
      const std::string broken = BreakIn(name, text);
      if (!broken.empty()) return absl::InvalidArgumentError(broken);
    }
    return Prefixed(name, status);
  }
  size_t document = 0;
  return ForEachYamlDocument(name, text, [&](std::string* json) {
    const bool first_one = ++document == 1;
    return Prefixed(first_one ? name : fmt::format("{}: document {}", name, document),
                    ReadJson(json, on_object));
  });
}

}  // namespace outrigger::cli
