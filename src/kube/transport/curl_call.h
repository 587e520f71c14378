#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/transport/curl_connection.h"
#include "kube/transport/transport.h"

namespace outrigger::kube {

/// One exchange on one connection: sets the handle up, drives it to its end and judges what came.
/// Used once, on one thread.
class CurlCall {
 public:
  CurlCall(const CurlTarget& target, const WireRequest& request, const ByteSink* sink,
           CurlConnection* connection);
  CurlCall(const CurlCall&) = delete;
  CurlCall& operator=(const CurlCall&) = delete;

  absl::StatusOr<WireAnswer> Run();

 private:
  static size_t OnHeader(char* bytes, size_t one, size_t size, void* self);
  static size_t OnBody(char* bytes, size_t one, size_t size, void* self);

  void SetUp();
  void SetMethod(CURL* easy);
  /// Until the exchange has ended, or must. Sets `result_` or `ended_by_us_`.
  void Drive();
  /// Ok, or why no more is waited for; `left` is how long to wait at most.
  absl::Status Patience(Clock::Duration* left) const;
  bool TakeHeader(std::string_view line);
  bool TakeBody(std::string_view bytes);
  bool Good() const { return answer_.code >= 200 && answer_.code <= 299; }
  absl::Status Judge() const;
  absl::Status TransferError() const;

  const CurlTarget& target_;
  const WireRequest& request_;
  const ByteSink* const sink_;
  CurlConnection& connection_;
  CurlList headers_;
  std::string url_;

  WireAnswer answer_;
  size_t head_bytes_ = 0;
  bool has_length_ = false;  // Content-Length or Transfer-Encoding
  bool head_done_ = false;
  bool error_cut_ = false;  // as much of an error's body as is wanted has come
  Clock::TimePoint last_byte_;
  absl::Status ended_by_us_;
  CURLcode result_ = CURLE_OK;
  char error_text_[CURL_ERROR_SIZE] = {};
};

}  // namespace outrigger::kube
