#include "console/format/go_yaml.h"

#include <cctype>
#include <string_view>

#include "console/format/yaml_scalar.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using SortedJson = nlohmann::json;

// What begins something else than a plain scalar.
bool BeginsOtherwise(const std::string& text) {
  constexpr std::string_view kIndicators = "#,[]{}&*!|>'\"%@`";
  constexpr std::string_view kBeforeBlank = "-?:";
  if (kIndicators.find(text[0]) != std::string_view::npos) return true;
  const bool alone = text.size() == 1 || text[1] == ' ';
  return (alone && kBeforeBlank.find(text[0]) != std::string_view::npos) ||
         text.starts_with("---") || text.starts_with("...");
}

bool IsPlain(const std::string& text) {
  return !text.empty() && !BeginsOtherwise(text) && text.front() != ' ' && text.back() != ' ' &&
         text.back() != ':' && text.find(": ") == std::string::npos &&
         text.find(" #") == std::string::npos;
}

bool HasControls(const std::string& text) {
  for (const char c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0 && c != '\n') return true;
  }
  return false;
}

std::string SingleQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

// A text of several lines below `indent`.
std::string Block(const std::string& text, size_t indent) {
  const bool ends = text.ends_with('\n');
  std::string block = ends ? "|" : "|-";
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    block += '\n';
    if (end > begin) block += std::string(indent, ' ') + text.substr(begin, end - begin);
    begin = end + 1;
  }
  return block;
}

class GoYamlWriter {
 public:
  // `indent` is that of the lines of a value with several; the first begins where it is written.
  void Write(const SortedJson& json, size_t indent) {
    if (json.is_object() && !json.empty()) {
      WriteMap(json, indent);
    } else if (json.is_array() && !json.empty()) {
      WriteList(json, indent);
    } else {
      text_ += Scalar(json, indent) + "\n";
    }
  }
  std::string Text() { return std::move(text_); }

 private:
  static std::string Scalar(const SortedJson& json, size_t indent) {
    if (!json.is_string()) return json.dump();
    const auto& text = json.get_ref<const std::string&>();
    if (HasControls(text)) return SortedJson(text).dump();  // a JSON text is one of YAML
    const bool is_block = text.find('\n') != std::string::npos && text.front() != ' ' &&
                          text.front() != '\n' && !text.ends_with("\n\n");
    if (is_block) return Block(text, indent);
    const bool is_text = FormOf("?", text).kind == ScalarForm::Kind::kText;
    if (!is_text || text.find('\n') != std::string::npos) return SortedJson(text).dump();
    return IsPlain(text) ? text : SingleQuoted(text);
  }

  void WriteMap(const SortedJson& json, size_t indent) {
    bool first = true;
    for (const auto& [key, value] : json.items()) {
      if (!first) text_ += std::string(indent, ' ');
      first = false;
      text_ += Scalar(key, indent) + ":";
      if (value.is_array() && !value.empty()) {
        text_ += "\n" + std::string(indent, ' ');
        Write(value, indent);
      } else if (value.is_object() && !value.empty()) {
        text_ += "\n" + std::string(indent + 2, ' ');
        Write(value, indent + 2);
      } else {
        text_ += " ";
        Write(value, indent + 2);
      }
    }
  }

  void WriteList(const SortedJson& json, size_t indent) {
    bool first = true;
    for (const SortedJson& item : json) {
      if (!first) text_ += std::string(indent, ' ');
      first = false;
      text_ += "- ";
      Write(item, indent + 2);
    }
  }

  std::string text_;
};

}  // namespace

std::string GoYaml(const SortedJson& json) {
  GoYamlWriter writer;
  writer.Write(json, 0);
  return writer.Text();
}

}  // namespace outrigger::cli
