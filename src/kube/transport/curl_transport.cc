#include <algorithm>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/transport/curl_connection.h"
#include "kube/transport/transport.h"
#include "outrigger/base/mutex.h"
#include "outrigger/base/text.h"
#include "sdk/base/files.h"

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

namespace {

// The value of a header line if its name is `name`.
std::optional<std::string_view> HeaderValue(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return std::nullopt;
  if (!absl::EqualsIgnoreCase({line.data(), name.size()}, {name.data(), name.size()})) {
    return std::nullopt;
  }
  return Trimmed(line.substr(name.size() + 1));
}

// libcurl's text without " after 12 ms": what fails for the same reason is to have the same text,
// as it is said once in a log.
std::string WithoutTime(std::string_view text) {
  constexpr std::string_view kAfter = " after ";
  constexpr std::string_view kUnit = " ms";
  const size_t begin = text.find(kAfter);
  if (begin == std::string_view::npos) return std::string(text);
  const size_t number = begin + kAfter.size();
  const size_t end = text.find_first_not_of("0123456789", number);
  if (end == number || end == std::string_view::npos || !text.substr(end).starts_with(kUnit)) {
    return std::string(text);
  }
  return fmt::format("{}{}", text.substr(0, begin), text.substr(end + kUnit.size()));
}

}  // namespace

CurlCall::CurlCall(const CurlTarget& target, const WireRequest& request, const ByteSink* sink,
                   CurlConnection* connection)
    : target_(target),
      request_(request),
      sink_(sink),
      connection_(*connection),
      url_(target.base + request.target),
      last_byte_(std::chrono::steady_clock::now()) {}

absl::StatusOr<WireAnswer> CurlCall::Run() {
  SetUp();
  if (curl_multi_add_handle(connection_.multi(), connection_.easy()) != CURLM_OK) {
    return absl::UnavailableError("no memory for a call");
  }
  {
    // Ends before the handle may go back to the pool: its destructor waits for a running callback.
    const std::stop_callback wake(request_.stop,
                                  [this] { curl_multi_wakeup(connection_.multi()); });
    Drive();
  }
  // Of an exchange that is not over this closes the connection.
  curl_multi_remove_handle(connection_.multi(), connection_.easy());
  curl_easy_setopt(connection_.easy(), CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
  absl::Status status = Judge();
  if (!status.ok()) return status;
  return std::move(answer_);
}

void CurlCall::SetUp() {
  CURL* easy = connection_.easy();
  headers_.Add("Host: " + target_.host);
  headers_.Add("Expect:");
  for (const std::string& header : request_.headers) headers_.Add(header);
  SetMethod(easy);
  curl_easy_setopt(easy, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, request_.may_resend ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlCall::OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlCall::OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_);
}

void CurlCall::SetMethod(CURL* easy) {
  const std::string method(request_.method);
  if (request_.body.empty() && method != "POST" && method != "PUT" && method != "PATCH") {
    curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  } else {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.empty() ? "" : request_.body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
}

absl::Status CurlCall::Patience(Clock::Duration* left) const {
  if (request_.stop.stop_requested()) return absl::CancelledError("the call was stopped");
  const Clock::TimePoint now = std::chrono::steady_clock::now();
  const bool streaming = request_.stream && head_done_ && Good();
  if (!streaming) {
    *left = request_.deadline - now;
    if (*left > Clock::Duration::zero()) return absl::OkStatus();
    return absl::DeadlineExceededError(head_done_ ? "the answer did not end in time"
                                                  : "no answer in time");
  }
  *left = std::chrono::hours(1);
  if (request_.silence.count() == 0) return absl::OkStatus();
  *left = last_byte_ + request_.silence - now;
  if (*left > Clock::Duration::zero()) return absl::OkStatus();
  return absl::DeadlineExceededError(
      fmt::format("the stream was silent for {} ms", request_.silence.count()));
}

void CurlCall::Drive() {
  for (;;) {
    int running = 0;
    if (curl_multi_perform(connection_.multi(), &running) != CURLM_OK) {
      ended_by_us_ = absl::UnavailableError("no memory for a call");
      return;
    }
    if (running == 0) break;
    Clock::Duration left{};
    ended_by_us_ = Patience(&left);
    if (!ended_by_us_.ok()) return;
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(left);
    const int most = static_cast<int>(std::min<int64_t>(wait.count(), 60'000));
    if (curl_multi_poll(connection_.multi(), nullptr, 0, most, nullptr) != CURLM_OK) {
      ended_by_us_ = absl::UnavailableError("cannot wait for the server");
      return;
    }
  }
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(connection_.multi(), &left);
  result_ = message != nullptr ? message->data.result : CURLE_FAILED_INIT;
}

size_t CurlCall::OnHeader(char* bytes, size_t one, size_t size, void* self) {
  return static_cast<CurlCall*>(self)->TakeHeader({bytes, one * size}) ? one * size : 0;
}

size_t CurlCall::OnBody(char* bytes, size_t one, size_t size, void* self) {
  return static_cast<CurlCall*>(self)->TakeBody({bytes, one * size}) ? one * size : 0;
}

bool CurlCall::TakeHeader(std::string_view line) {
  head_bytes_ += line.size();
  if (head_bytes_ > kLargestHead) {
    ended_by_us_ = absl::UnavailableError(
        fmt::format("the head of the answer is larger than {} bytes", kLargestHead));
    return false;
  }
  if (head_done_ && Good()) return true;  // trailers
  if (line.starts_with("HTTP/")) {
    // Behind a 100 Continue another head follows.
    answer_.retry_after.clear();
    has_length_ = false;
    head_done_ = false;
    long code = 0;
    curl_easy_getinfo(connection_.easy(), CURLINFO_RESPONSE_CODE, &code);
    answer_.code = static_cast<int>(code);
    return true;
  }
  if (const auto value = HeaderValue(line, "retry-after")) answer_.retry_after = *value;
  if (HeaderValue(line, "content-length") || HeaderValue(line, "transfer-encoding")) {
    has_length_ = true;
  }
  if (Trimmed(line).empty() && answer_.code >= 200) {
    head_done_ = true;
    last_byte_ = std::chrono::steady_clock::now();
    if (request_.stream && Good() && request_.on_head) request_.on_head();
  }
  return true;
}

bool CurlCall::TakeBody(std::string_view bytes) {
  if (!Good()) {
    const size_t room = kLargestError - std::min(kLargestError, answer_.body.size());
    answer_.body.append(bytes.substr(0, room));
    error_cut_ = bytes.size() > room;
    return !error_cut_;
  }
  if (sink_ != nullptr) {
    const bool go_on = (*sink_)(bytes);
    if (!go_on) ended_by_us_ = absl::CancelledError("the receiver stopped");
    last_byte_ = std::chrono::steady_clock::now();
    return go_on;
  }
  if (answer_.body.size() + bytes.size() > kLargestAnswer) {
    ended_by_us_ = absl::ResourceExhaustedError(
        fmt::format("the answer is larger than {} MiB", kLargestAnswer >> 20U));
    return false;
  }
  answer_.body.append(bytes);
  return true;
}

absl::Status CurlCall::TransferError() const {
  const char* what = result_ == CURLE_OK      ? "an answer without a complete head"
                     : error_text_[0] != '\0' ? error_text_
                                              : curl_easy_strerror(result_);
  std::string text = fmt::format("{}: {}", target_.host, WithoutTime(what));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  switch (result_) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_URL_MALFORMAT:
      return absl::FailedPreconditionError(text);  // asking again does not help
    default:
      return absl::UnavailableError(text);
  }
}

absl::Status CurlCall::Judge() const {
  if (!ended_by_us_.ok()) {
    return absl::Status(ended_by_us_.code(), fmt::format("{} {}: {}", request_.method, target_.host,
                                                         MessageOf(ended_by_us_)));
  }
  // The code of a refusal counts even if the text behind it was cut.
  if (result_ != CURLE_OK && !(head_done_ && !Good())) return TransferError();
  if (!head_done_) return TransferError();
  if (Good() && answer_.code != 204 && answer_.code != 205 && !has_length_) {
    // It ends where the connection does, and so does one that was cut.
    return absl::UnavailableError(fmt::format(
        "{}: an answer with neither Content-Length nor chunks may be cut", target_.host));
  }
  return absl::OkStatus();
}

namespace {

constexpr std::chrono::seconds kIdleFor{60};
constexpr size_t kMostIdle = 512;

// Once for the process, before its first handle.
bool CurlIsReady() {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return ready;
}

class CurlTransport final : public Transport {
 public:
  explicit CurlTransport(CurlTarget target) : target_(std::move(target)) {}

  absl::StatusOr<WireAnswer> Send(const WireRequest& request, const ByteSink* sink) override {
    std::unique_ptr<CurlConnection> connection = Take(request.identity);
    if (!connection) connection = CurlConnection::Create(target_, request.identity);
    if (!connection) return absl::UnavailableError("libcurl: no memory, or an option it lacks");
    auto answer = CurlCall(target_, request, sink, connection.get()).Run();
    GiveBack(std::move(connection), request.identity.get());
    return answer;
  }

 private:
  using Connections = std::vector<std::unique_ptr<CurlConnection>>;

  std::unique_ptr<CurlConnection> Take(const std::shared_ptr<const TlsIdentity>& identity) {
    Connections other;  // closed outside of the lock
    const MutexLock lock(mutex_);
    while (!idle_.empty()) {
      std::unique_ptr<CurlConnection> last = std::move(idle_.back());
      idle_.pop_back();
      if (last->identity() == identity.get()) return last;
      // Of an identity that was replaced. A new handle has no TLS session of the old one either.
      other.push_back(std::move(last));
    }
    return nullptr;
  }

  void GiveBack(std::unique_ptr<CurlConnection> connection, const TlsIdentity* /*identity*/) {
    Connections old;
    const MutexLock lock(mutex_);
    const Clock::TimePoint now = std::chrono::steady_clock::now();
    connection->idle_since = now;
    idle_.push_back(std::move(connection));
    // The order is that of giving back: those at the front have waited longest.
    const auto fresh = std::find_if(idle_.begin(), idle_.end(), [&](const auto& one) {
      return now - one->idle_since < kIdleFor;
    });
    auto end = fresh;
    if (idle_.size() > kMostIdle) {
      end = std::max(end, idle_.end() - static_cast<std::ptrdiff_t>(kMostIdle));
    }
    if (end == idle_.begin()) return;
    old.assign(std::make_move_iterator(idle_.begin()), std::make_move_iterator(end));
    idle_.erase(idle_.begin(), end);
  }

  const CurlTarget target_;
  Mutex mutex_;
  Connections idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> MakeCurlTransport(const ClientConfig& config) {
  if (!CurlIsReady()) return absl::UnavailableError("libcurl cannot be initialised");
  auto target = MakeCurlTarget(config);
  if (!target.ok()) return target.status();
  return std::make_unique<CurlTransport>(*std::move(target));
}

}  // namespace outrigger::kube
