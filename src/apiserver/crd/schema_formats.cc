#include <arpa/inet.h>

#include <array>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "apiserver/crd/schema_validation.h"
#include "outrigger/k8s/label_syntax.h"
#include "re2/re2.h"

namespace outrigger::apiserver {
namespace {

bool IsIpV4(const std::string& text) {
  std::array<unsigned char, 16> address{};
  return inet_pton(AF_INET, text.c_str(), address.data()) == 1;
}

bool IsIpV6(const std::string& text) {
  std::array<unsigned char, 16> address{};
  return inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

bool IsCidr(const std::string& text) {
  const size_t slash = text.find('/');
  int bits = 0;
  if (slash == std::string::npos || !absl::SimpleAtoi(text.substr(slash + 1), &bits)) return false;
  const std::string address = text.substr(0, slash);
  return bits >= 0 && ((IsIpV4(address) && bits <= 32) || (IsIpV6(address) && bits <= 128));
}

bool IsDateTime(const std::string& text) {
  static const RE2* const form =
      new RE2(R"(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d))");
  absl::Time time;
  return RE2::FullMatch(text, *form) &&
         absl::ParseTime(absl::RFC3339_full, absl::StrReplaceAll(text, {{"t", "T"}, {"z", "Z"}}),
                         &time, nullptr);
}

bool IsDate(const std::string& text) {
  return text.size() == 10 && IsDateTime(text + "T00:00:00Z");
}

bool IsBase64(const std::string& text) {
  std::string bytes;
  return text.size() % 4 == 0 && absl::Base64Unescape(text, &bytes);
}

bool IsShortName(const std::string& text) {
  return IsDnsLabel(text);
}
bool IsLongName(const std::string& text) {
  return IsDnsSubdomain(text);
}
bool IsAnything(const std::string&) {
  return true;
}

struct SchemaFormat {
  std::string_view name;  // without hyphens
  bool (*check)(const std::string&);
  const char* pattern = nullptr;  // in place of `check`
};

constexpr SchemaFormat kFormats[] = {
    {"datetime", IsDateTime},
    {"date", IsDate},
    {"byte", IsBase64},
    {"password", IsAnything},
    {"ipv4", IsIpV4},
    {"ipv6", IsIpV6},
    {"cidr", IsCidr},
    {"k8sshortname", IsShortName},
    {"k8slongname", IsLongName},
    {"mac", nullptr, "(?i)[0-9a-f]{2}([:-][0-9a-f]{2}){5,19}|[0-9a-f]{4}([.][0-9a-f]{4}){2,9}"},
    {"uuid", nullptr, "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"},
    {"uuid3", nullptr, "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}"},
    {"uuid4", nullptr,
     "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}"},
    {"uuid5", nullptr,
     "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}"},
    {"hostname", nullptr,
     "[a-zA-Z0-9](-?[a-zA-Z0-9]{0,62})?|"
     "([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?[.])+[a-zA-Z]{2,63}"},
    {"email", nullptr, R"([^@\s]+@[^@\s]+)"},
    {"uri", nullptr, R"([a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+|/[^\s]*)"},
    {"hexcolor", nullptr, "#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"},
    {"ssn", nullptr, R"(\d{3}[- ]?\d{2}[- ]?\d{4})"},
    {"bsonobjectid", nullptr, "[0-9a-fA-F]{24}"},
    {"duration", nullptr,
     R"([-+]?(\d+([.]\d*)?|[.]\d+)\s*(ns|us|µs|μs|ms|s|m|h|d|w|nano\w*|micro\w*|milli\w*|sec\w*|min\w*|hour\w*|day\w*|week\w*)((\d+([.]\d*)?)(ns|us|ms|s|m|h))*|0)"},
};

const SchemaFormat* FindFormat(const std::string& format) {
  const std::string name = absl::StrReplaceAll(format, {{"-", ""}});
  for (const SchemaFormat& known : kFormats) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

}  // namespace

bool IsKnownFormat(const std::string& format) {
  return FindFormat(format) != nullptr;
}

bool HasFormat(const std::string& format, const std::string& text) {
  const SchemaFormat* known = FindFormat(format);
  if (known == nullptr) return true;
  return known->check != nullptr ? known->check(text) : RE2::FullMatch(text, RE2(known->pattern));
}

}  // namespace outrigger::apiserver
