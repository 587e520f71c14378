#pragma once

#include <cstddef>
#include <optional>

#include "http/connection.h"
#include "http/head.h"
#include "http/pool.h"

namespace outrigger::http {

/// How a request's body is delimited.
struct BodyPlan {
  size_t length = 0;     // without `chunked`
  bool chunked = false;  // length known when it has come
};

/// Decides from the head alone, so that nothing is read of a body that will be refused: 413 above
/// `max_body`, 415 with a Content-Encoding (a few kilobytes can inflate to anything), 400 where two
/// readers could disagree about the length, 501 for a transfer coding other than chunked.
std::optional<Refusal> PlanBody(const RequestHead& head, size_t max_body, BodyPlan* plan);

/// Reads what was planned into `buffer` and sets `size`; kBodyPadding zero bytes follow it.
std::optional<Refusal> ReadBody(const BodyPlan& plan, size_t max_body, Connection& connection,
                                Buffer* buffer, size_t* size);

}  // namespace outrigger::http
