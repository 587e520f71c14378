#include "http/exchange.h"

#include <fmt/format.h>

#include <utility>

#include "absl/cleanup/cleanup.h"

namespace outrigger::http {
namespace {

// Enough for a few calls at once; what is large is few, since the scheduler filters one pod at a
// time. The caps are on memory that lies unused.
constexpr size_t kPooledBuffers = 16;
constexpr size_t kPooledBytes = size_t{128} << 20;
// A pooled buffer should fit most names-only calls without growing.
constexpr size_t kUsualBody = size_t{64} << 10;

/// `text` is ours and needs no escapes.
Response Failure(int status, std::string_view text) {
  Response response;
  response.status = status;
  response.body = fmt::format(R"({{"error":"{}"}})", text);
  return response;
}

}  // namespace

Shared::Shared(Handler call, size_t largest_body)
    : handler(std::move(call)),
      max_body(largest_body),
      bodies(kPooledBuffers, kPooledBytes),
      answers(kPooledBuffers, kPooledBytes) {}

Exchange::Exchange(Connection& connection, Shared& shared)
    : connection_(connection), shared_(shared) {
  ++shared_.in_flight;
}

Exchange::~Exchange() {
  response_.body.clear();
  shared_.answers.Give(std::move(response_.body));
  --shared_.in_flight;
}

void Exchange::Answer(const RequestHead& head) {
  close_ = head.close;
  BodyPlan plan;
  if (const auto refusal = PlanBody(head, shared_.max_body, &plan)) {
    return Refuse(*refusal);
  }
  if (!head.expect.empty()) {
    if (!SameText(head.expect, "100-continue")) {
      return Refuse({417, "Expect: only 100-continue is accepted"});
    }
    connection_.Hold("HTTP/1.1 100 Continue\r\n\r\n");
  }
  Buffer buffer = shared_.bodies.Take(plan.length + kBodyPadding);
  const absl::Cleanup give_back = [&] { shared_.bodies.Give(std::move(buffer)); };
  try {
    buffer.Reserve(kUsualBody, 0);
    size_t size = 0;
    if (const auto refusal = ReadBody(plan, shared_.max_body, connection_, &buffer, &size)) {
      return Refuse(*refusal);
    }
    CallHandler(head, {buffer.data(), size});
  } catch (...) {
    // What went wrong may hold anything, so it does not go out.
    response_ = Failure(500, "internal error");
    answered_ = true;
  }
}

void Exchange::CallHandler(const RequestHead& head, std::string_view body) {
  response_.body = shared_.answers.Take(0);
  const Request request{.method = head.method,
                        .path = head.path,
                        .query = head.query,
                        .content_type = head.content_type,
                        .body = body,
                        .peer = connection_.peer()};
  shared_.handler(request, &response_);
  answered_ = true;
}

void Exchange::RefuseHead(int status) {
  if (connection_.head_too_large()) {
    Refuse({431, "the head of the request is too large"});
  } else if (connection_.timed_out()) {
    Refuse({408, "the head of the request did not arrive in time"});
  } else if (status == 414) {
    Refuse({414, "the request's target is too long"});
  } else {
    Refuse({status, "malformed request line or header"});
  }
}

void Exchange::Refuse(const Refusal& refusal) {
  ++shared_.refused;
  response_ = Failure(refusal.status, refusal.text);
  answered_ = true;
  close_ = true;
  unread_ = true;
}

}  // namespace outrigger::http
