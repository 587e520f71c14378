#include "cel/values/url.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/ascii.h"
#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

bool IsScheme(std::string_view text) {
  if (text.empty() || !absl::ascii_isalpha(static_cast<unsigned char>(text.front()))) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
  });
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); });
}

bool EscapesAreWhole(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 1])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 2]))) {
      return false;
    }
  }
  return true;
}

// "%41+b" is "A b" in a query.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      unsigned code = 0;
      std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16);
      out += static_cast<char>(code);
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

bool IsPort(std::string_view text) {
  return std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

bool IsHost(std::string_view host) {
  if (host.starts_with('[')) {
    const size_t end = host.rfind(']');
    if (end == std::string_view::npos) return false;
    const std::string_view rest = host.substr(end + 1);
    return rest.empty() || (rest.front() == ':' && IsPort(rest.substr(1)));
  }
  const size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !IsPort(host.substr(colon + 1))) return false;
  return host.find_first_of(" \"<>\\^`{|}") == std::string_view::npos;
}

// Takes the authority off `rest`, which follows "//".
bool TakeHost(std::string_view& rest, Url& url) {
  const size_t end = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, end);
  rest.remove_prefix(end);
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    authority.remove_prefix(at + 1);
  }
  url.host = authority;
  return IsHost(authority);
}

}  // namespace

std::optional<Url> ParseUrl(std::string_view text) {
  if (text.empty() || HasControl(text)) return std::nullopt;
  Url url;
  url.text = text;
  std::string_view rest = text.substr(0, text.find('#'));
  const size_t colon = rest.find_first_of(":/?");
  if (colon != std::string_view::npos && rest[colon] == ':') {
    url.scheme = rest.substr(0, colon);
    if (!IsScheme(url.scheme)) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
  if (!rest.starts_with('/')) {
    if (url.scheme.empty()) return std::nullopt;
    return url;  // an opaque URL, such as mailto:
  }
  if (!url.scheme.empty() && rest.starts_with("//")) {
    rest.remove_prefix(2);
    if (!TakeHost(rest, url)) return std::nullopt;
  }
  const size_t question = std::min(rest.find('?'), rest.size());
  url.path = rest.substr(0, question);
  if (question < rest.size()) url.query = rest.substr(question + 1);
  return EscapesAreWhole(url.path) ? std::optional<Url>(url) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> QueryParts(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const std::string_view part : Split(query, '&')) {
    if (part.empty() || part.find(';') != std::string_view::npos || !EscapesAreWhole(part))
      continue;
    const size_t equals = std::min(part.find('='), part.size());
    parts.emplace_back(Unescaped(part.substr(0, equals)),
                       Unescaped(part.substr(std::min(equals + 1, part.size()))));
  }
  return parts;
}

std::string_view Url::Hostname() const {
  if (host.starts_with('[')) return host.substr(1, host.rfind(']') - 1);
  return host.substr(0, std::min(host.rfind(':'), host.size()));
}

std::string_view Url::Port() const {
  const size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || host.find(']', colon) != std::string_view::npos) return {};
  return host.substr(colon + 1);
}

}  // namespace outrigger::cel
