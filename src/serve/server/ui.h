#pragma once

#include <string_view>

#include "http/server.h"

namespace outrigger::server {

/// Answers what a browser loads to show the agents' pages: "/", "/ui.css" and "/ui.js", which load
/// nothing from elsewhere. False: it is another path.
bool AnswerUi(std::string_view path, http::Response* response);

}  // namespace outrigger::server
