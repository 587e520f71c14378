#pragma once

#include <cstddef>

#include "http/server.h"
#include "serve/engine/engine.h"

namespace outrigger::server {

/// Answers engine.pages()[page] as JSON: 503 if the page is not ready, 500 for another error.
void AnswerPage(const engine::Engine& engine, size_t page, http::Response* response);

}  // namespace outrigger::server
