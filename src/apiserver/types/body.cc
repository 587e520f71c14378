#include "apiserver/types/body.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "codec/json/text.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr size_t kMaxDuplicates = 100;  // as many as upstream keeps
constexpr const char* kTypeMetaOfGo =
    R"(struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })";

// As Go quotes it, which takes a byte for a character.
std::string QuotedByte(char c) {
  if (c == '\'') return R"('\'')";
  if (absl::ascii_isprint(static_cast<unsigned char>(c))) return fmt::format("'{}'", c);
  return fmt::format("'\\u{:04x}'", static_cast<unsigned char>(c));
}

// Builds a value from the events of the parser.
class BodyBuilder : public nlohmann::json_sax<Json> {
 public:
  BodyBuilder(std::string_view text, Json* root, std::vector<std::string>* duplicates)
      : text_(text), root_(*root), duplicates_(duplicates) {}

  const std::string& problem() const { return problem_; }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(int64_t value) override { return Add(value); }
  bool number_unsigned(uint64_t value) override { return Add(value); }
  bool number_float(double value, const std::string& /*text*/) override { return Add(value); }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) override { return false; }

  bool start_object(size_t /*size*/) override { return Open(Json::object()); }
  bool start_array(size_t /*size*/) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(std::string& name) override {
    Level& level = levels_.back();
    const auto [slot, is_new] = level.value->emplace(name, nullptr);
    level.slot = &*slot;
    level.key = std::move(name);
    level.has_key = true;
    if (!is_new) AddDuplicate();
    return true;
  }

  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    if (position > text_.size() || text_.empty()) {
      problem_ = "unexpected end of JSON input";
    } else if (error.id == 101) {
      problem_ = ProblemAt(position, token);
    } else {
      problem_ = error.what();
    }
    return false;
  }

 private:
  struct Level {
    Json* value;
    Json* slot = nullptr;  // of an object: where the next value goes
    std::string key = {};
    bool has_key = false;  // and no value behind it yet
  };

  Json* Put(Json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    level.has_key = false;
    if (level.value->is_array()) return &level.value->emplace_back(std::move(value));
    *level.slot = std::move(value);
    return level.slot;
  }

  bool Add(Json value) {
    Put(std::move(value));
    return true;
  }

  bool Open(Json empty) {
    if (levels_.size() >= kMaxDepth) {
      problem_ = "exceeded max depth";
      return false;
    }
    levels_.push_back({.value = Put(std::move(empty))});
    return true;
  }

  bool Close() {
    levels_.pop_back();
    return true;
  }

  void AddDuplicate() {
    if (duplicates_->size() >= kMaxDuplicates) return;
    std::string path;
    for (const Level& level : levels_) {
      if (level.value->is_array()) {
        path += fmt::format("[{}]", level.value->size() - 1);
      } else {
        path += fmt::format("{}{}", path.empty() ? "" : ".", level.key);
      }
    }
    std::string text = fmt::format("duplicate field {}", Json(path).dump());
    if (std::find(duplicates_->begin(), duplicates_->end(), text) == duplicates_->end()) {
      duplicates_->push_back(std::move(text));
    }
  }

  // `position` is behind the token that is wrong; `token` ends there, and where it is a text or a
  // number begins there, too.
  std::string ProblemAt(size_t position, const std::string& token) const {
    const char last = text_[std::max<size_t>(position, 1) - 1];
    const bool is_long = last == '"' || absl::ascii_isdigit(static_cast<unsigned char>(last));
    const size_t at = position - std::min(position, is_long ? token.size() : 1);
    return fmt::format("invalid character {} {}", QuotedByte(text_[at]), ContextAt(at));
  }

  // What Go would expect there.
  const char* ContextAt(size_t at) const {
    const size_t before = text_.substr(0, at).find_last_not_of(" \t\r\n");
    const char last = before == std::string_view::npos ? '\0' : text_[before];
    if (levels_.empty()) return last == '\0' ? kValue : "after top-level value";
    const Level& level = levels_.back();
    if (last == ':' || last == '[') return kValue;
    if (level.value->is_array()) return last == ',' ? kValue : "after array element";
    if (level.has_key) return "after object key";
    if (last == ',' || last == '{') return "looking for beginning of object key string";
    return "after object key:value pair";
  }

  static constexpr const char* kValue = "looking for beginning of value";

  std::string_view text_;
  Json& root_;
  std::vector<std::string>* duplicates_;
  std::vector<Level> levels_;
  std::string problem_;
};

// The beginning of a body, as upstream quotes it.
std::string BodySummary(std::string_view text) {
  constexpr size_t kMaxSummary = 30;
  if (text.empty()) return "<empty>";
  const std::string_view head = text.substr(0, kMaxSummary);
  std::string summary;
  if (text.front() == '{') {
    json::AppendUtf8(head, &summary);  // which may end within a character
  } else {
    for (const char c : head) summary += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  if (head.size() < text.size()) summary += " ...";
  return summary;
}

const char* GoNameOfBody(const Json& value) {
  return value.is_boolean() ? "bool" : value.type_name();
}

}  // namespace

std::optional<std::string> ParseJson(std::string_view text, Json* value,
                                     std::vector<std::string>* duplicates) {
  *value = nullptr;
  std::string clean;
  if (!json::IsUtf8(text)) {  // Go reads it as this
    json::AppendUtf8(text, &clean);
    text = clean;
  }
  BodyBuilder builder(text, value, duplicates);
  if (Json::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
  return builder.problem();
}

std::optional<Failure> ParseBody(std::string_view text, std::string_view kind, Json* object,
                                 std::vector<std::string>* duplicates) {
  std::optional<std::string> problem = ParseJson(text, object, duplicates);
  if (!problem && object->is_object()) return std::nullopt;
  if (!problem) {
    problem = fmt::format("json: cannot unmarshal {} into Go value of type {}",
                          GoNameOfBody(*object), kTypeMetaOfGo);
  }
  return Failure::BadRequest(
      fmt::format("the object provided is unrecognized (must be of type {}): couldn't get "
                  "version/kind; json parse error: {} ({})",
                  kind, *problem, BodySummary(text)));
}

}  // namespace outrigger::apiserver
