#include "serve/server/ui.h"

#include <array>
#include <cstddef>
#include <string>

namespace outrigger::server {
namespace {

constexpr std::array kHtml = {
#include "index.html.inc"
};
constexpr std::array kStyle = {
#include "ui.css.inc"
};
constexpr std::array kScript = {
#include "ui.js.inc"
};

struct UiFile {
  std::string_view path;
  const char* content_type;
  std::string_view text;
};

constexpr std::array<UiFile, 3> kFiles = {
    {{"/", "text/html; charset=utf-8", kHtml[0]},
     {"/ui.css", "text/css; charset=utf-8", kStyle[0]},
     {"/ui.js", "text/javascript; charset=utf-8", kScript[0]}}};

// One literal holds them whole.
static_assert(kHtml.size() == 1 && kStyle.size() == 1 && kScript.size() == 1);

// A page that loads at once through a slow port-forward, and that one can read.
constexpr size_t kMostBytes = 60'000;
static_assert(kFiles[0].text.size() + kFiles[1].text.size() + kFiles[2].text.size() < kMostBytes);

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace

bool AnswerUi(std::string_view path, http::Response* response) {
  for (const UiFile& file : kFiles) {
    if (path != file.path) continue;
    response->content_type = file.content_type;
    response->body = file.text;
    response->headers = {{"Content-Security-Policy", kPolicy},
                         {"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cache-Control", "no-cache"}};
    return true;
  }
  return false;
}

}  // namespace outrigger::server
