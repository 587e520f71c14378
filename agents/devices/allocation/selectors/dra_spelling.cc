#include "devices/allocation/selectors/dra_spelling.h"

#include <cctype>
#include <regex>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace outrigger::devices {
namespace {

// Longer ones are not looked at: std::regex takes a stack frame for each character.
constexpr size_t kLongest = 2000;

// A field of the device, as far as it is an attribute: device.memory, device["memory"].
constexpr const char* kField = R"((device(?:\.\w+|\[["'][^"'\]]*["']\]))+)";

// What DRA has between the device and its attributes.
constexpr const char* kMap = R"(\bdevice\s*\.\s*(?:attributes|capacity)\s*)";

std::string Replaced(const std::string& text, const std::string& pattern, const char* with) {
  return std::regex_replace(text, std::regex(pattern), with);
}

}  // namespace

std::string AsWrittenHere(std::string_view text) {
  const auto has = [text](std::string_view part) { return text.find(part) != text.npos; };
  if (text.size() > kLongest || !(has("device") || has("quantity(") || has("semver("))) return "";
  const std::string given(text);
  // One domain and name, then domains alone.
  std::string here =
      Replaced(given, std::string(kMap) + R"(\[\s*["'][^"'\]/]*/(\w+)["']\s*\])", "device.$1");
  here = Replaced(here, std::string(kMap) + R"(\[\s*\??\s*["'][^"'\]]*["']\s*\])", "device");
  // The driver is the class's, and names have no domains.
  for (const std::string& asked :
       {std::string(R"(\bdevice\.driver\s*==\s*["'][^"'\]]*["'])"),
        std::string(R"(["'][^"'\]]*["']\s+in\s+)").append(kMap).append(R"((?![.\w]))")}) {
    const std::string conjoined = R"(\s*&&\s*)";
    here = Replaced(here, absl::StrCat(asked, conjoined), "");
    here = Replaced(here, absl::StrCat(conjoined, asked), "");
  }
  // a > quantity("1Gi")
  here = Replaced(here, std::string(kField) + R"(\s*([<>]=?)\s*((?:quantity|semver)\([^()]*\)))",
                  "$1.compareTo($3) $2 0");
  here =
      Replaced(here, std::string(kField) + R"(\.(compareTo|isGreaterThan|isLessThan)\((semver\())",
               "semver($1, true).$2($3");
  here = Replaced(here, R"(\s+)", " ");
  if (std::regex_search(here, std::regex(kMap))) return "";  // not all of it is known
  return here == Replaced(given, R"(\s+)", " ") ? "" : here;
}

}  // namespace outrigger::devices
