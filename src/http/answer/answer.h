#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"

namespace outrigger::http {

/// The bytes of an answer's body.
size_t BodySize(const Response& response);
/// What `response` sends behind its head, piece by piece.
std::vector<std::string_view> BodyParts(const Response& response);

/// The bytes before the body of an answer.
std::string AnswerHead(const Response& response, bool close);

/// An answer of the transport's own; `text` is ours and needs no escapes.
Response Failure(int status, std::string_view text);

}  // namespace outrigger::http
