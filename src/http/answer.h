#pragma once

#include <string>
#include <string_view>

#include "http/server.h"

namespace outrigger::http {

/// The bytes before the body of an answer.
std::string AnswerHead(const Response& response, bool close);

/// An answer of the transport's own; `text` is ours and needs no escapes.
Response Failure(int status, std::string_view text);

}  // namespace outrigger::http
