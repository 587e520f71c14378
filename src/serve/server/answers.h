#pragma once

#include <string>
#include <string_view>

#include "http/server.h"

namespace outrigger::server {

/// Makes `response` {"error": text} with this status. `text` may hold anything.
void AnswerError(int status, std::string_view text, http::Response* response);

/// The method is none of `accepted` (as the header Allow has it: "GET, HEAD").
void AnswerWrongMethod(const http::Request& request, std::string_view accepted,
                       http::Response* response);

/// What GET /version says: version, commit, compiler and build type as a JSON object.
void AnswerVersion(http::Response* response);

bool IsGetOrHead(const http::Request& request);

/// Of so many bytes at most is quoted in an error what a caller sent.
inline constexpr size_t kMaxQuoted = 200;

}  // namespace outrigger::server
