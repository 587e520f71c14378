#include "outrigger/base/text.h"

#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace outrigger {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const size_t comma = text.find(',');
    parts.emplace_back(Trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::string Printable(std::string_view text) {
  std::string printable;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte < 0x20 || byte == 0x7f) {
      printable += fmt::format("\\x{:02x}", byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      printable += fmt::format("\\x{:02x}", next);  // U+0080 to U+009F
      ++i;
    } else {
      printable += text[i];
    }
  }
  return printable;
}

std::string Shortened(std::string_view text, size_t longest) {
  using Json = nlohmann::json;
  // Through JSON, which is how it would be sent: what is no UTF-8 grows when it is replaced.
  std::string valid = Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
                          .get<std::string>();
  if (valid.size() <= longest) return valid;
  size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(valid[end]) & 0xC0U) == 0x80U) --end;
  valid.resize(end);
  return valid + "...";
}

}  // namespace outrigger
