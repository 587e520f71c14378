#include "http/request/parser.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

namespace outrigger::http {
namespace {

namespace beast = boost::beast;
using beast::error_code;
using beast::http::field;

std::string Text(beast::string_view text) {
  return {text.data(), text.size()};
}

/// RFC 9112, 9.6: any "close" among the options ends the connection.
bool AsksToClose(const std::string& connection) {
  for (const absl::string_view option : absl::StrSplit(connection, ',')) {
    if (absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(option), "close")) return true;
  }
  return false;
}

/// Of "http://host/path?query" what begins with the path; RFC 9112, 3.2.2 wants this form accepted.
std::string_view OriginForm(std::string_view target) {
  const size_t scheme = target.find("://");
  if (target.empty() || target.front() == '/' || scheme == std::string_view::npos) return target;
  const size_t path = target.find_first_of("/?", scheme + 3);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

/// True if `bytes` may be the beginning of a last chunk and are fewer than the shortest has, "0"
/// and two line ends: Beast asserts that it does not see the same beginning twice. Whatever else
/// begins so is longer, too.
bool EndsInLastChunk(std::string_view bytes) {
  return bytes.size() < 5 && bytes.substr(0, 1) == "0";
}

constexpr size_t kUsualFields = 384;  // bytes

constexpr const char* kBadContentLength =
    "malformed Content-Length: one decimal number is accepted, without Transfer-Encoding";

Refusal ForError(const error_code& code) {
  using beast::http::error;
  switch (static_cast<error>(code.value())) {
    case error::header_limit:
      return {431, "the head of the request is too large"};
    case error::bad_version:
      return {505, "HTTP/1.1 is accepted"};
    case error::bad_content_length:
      return {400, kBadContentLength};
    case error::bad_transfer_encoding:
      return {400, "malformed Transfer-Encoding: chunked is accepted, without Content-Length"};
    case error::bad_chunk:
    case error::bad_chunk_extension:
      return {400, "malformed chunk length or chunk end"};
    default:
      // Newer ones have an error of its own for two of them, which Debian 12's cannot name.
      if (code.message() == "multiple Content-Length") return {400, kBadContentLength};
      return {400, "malformed request line or header"};
  }
}

}  // namespace

std::string BodyTooLarge(size_t limit) {
  return fmt::format("body is larger than the limit of {} bytes", limit);
}

class RequestParser::Beast final : public beast::http::basic_parser<true> {
 public:
  explicit Beast(const ReaderLimits& limits) : limits_(limits) {
    header_limit(static_cast<std::uint32_t>(limits.max_head));
    // The reader's business: it knows what memory there is. (none is compared as less than all.)
    body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  Result Parse(std::string_view bytes, size_t* used) {
    error_code error;
    *used = put({bytes.data(), bytes.size()}, error);
    if (refusal_.status != 0 || stopped_) return Result::kRefused;
    if (error == beast::http::error::need_more) return Result::kMore;
    if (!error) return Result::kDone;
    refusal_ = ForError(error);
    return Result::kRefused;
  }

  RequestHead head_;
  Refusal refusal_;
  size_t content_ = 0;  // of chunks, until now
  const Sink* sink_ = nullptr;

 private:
  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target,
                       int version, error_code& error) override {
    if (target.size() > limits_.max_target) {
      return Refuse(414, "the request's target is too long", error);
    }
    constexpr size_t kRest = std::string_view("  HTTP/1.1\r\n").size();
    if (method.size() + target.size() + kRest > MaxLine(limits_)) {
      return Refuse(414, "the request's first line is too long", error);
    }
    head_.fields.reserve(kUsualFields);
    head_.method = Text(method);
    const std::string_view origin = OriginForm({target.data(), target.size()});
    const size_t mark = origin.find('?');
    head_.path = std::string(origin.substr(0, mark));
    if (mark != std::string_view::npos) head_.query = std::string(origin.substr(mark + 1));
    head_.http10 = version < 11;
    head_.close = head_.http10;
  }

  void on_field_impl(field name, beast::string_view text, beast::string_view value,
                     error_code& error) override {
    if (++head_.headers > limits_.max_headers) {
      return Refuse(431, fmt::format("more than {} headers", limits_.max_headers), error);
    }
    if (in_body_) return;  // trailers are read and dropped
    head_.fields.append(text.data(), text.size()).append(1, ':');
    head_.fields.append(value.data(), value.size()).append(1, '\n');
    switch (name) {
      case field::host:
        ++head_.hosts;
        break;
      case field::connection:
        head_.close = head_.close || AsksToClose(Text(value));
        break;
      case field::content_length:
        ++head_.lengths;
        // RFC 9110, 8.6 lets "5, 5" pass for 5; two readers could disagree.
        if (value.find(',') != beast::string_view::npos) ++head_.lengths;
        break;
      case field::transfer_encoding:
        ++head_.codings;
        head_.transfer_encoding = Text(value);
        break;
      case field::content_encoding:
        head_.content_encoding = Text(value);
        break;
      case field::content_type:
        head_.content_type = Text(value);
        break;
      case field::expect:
        head_.expect = Text(value);
        break;
      default:
        break;
    }
  }

  void on_header_impl(error_code&) override {
    in_body_ = true;
    head_.content_length = content_length().value_or(0);
  }
  void on_chunk_header_impl(std::uint64_t size, beast::string_view, error_code& error) override {
    if (size > limits_.max_body - announced_) {
      return Refuse(413, BodyTooLarge(limits_.max_body), error);
    }
    announced_ += size;
  }
  size_t on_chunk_body_impl(std::uint64_t, beast::string_view content, error_code& error) override {
    content_ += content.size();
    stopped_ = !(*sink_)({content.data(), content.size()});
    if (stopped_) error = beast::http::error::body_limit;
    return content.size();
  }

  void on_response_impl(int, beast::string_view, int, error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  size_t on_body_impl(beast::string_view content, error_code&) override { return content.size(); }
  void on_finish_impl(error_code&) override {}

  void Refuse(int status, std::string text, error_code& error) {
    refusal_ = {status, std::move(text)};
    error = beast::http::error::bad_value;
  }

  const ReaderLimits& limits_;
  size_t announced_ = 0;  // by the chunks until now
  bool in_body_ = false;
  bool stopped_ = false;
};

RequestParser::RequestParser(const ReaderLimits& limits)
    : limits_(limits), beast_(std::make_unique<Beast>(limits)) {}
RequestParser::~RequestParser() = default;

RequestParser::Result RequestParser::ParseHead(std::string_view bytes, size_t* used) {
  const Result result = beast_->Parse(bytes, used);
  head_bytes_ += *used;
  // Beast's limit is for what it is shown at once: line by line it would take any number of bytes.
  const size_t waiting = result == Result::kMore ? bytes.size() - *used : 0;
  if (result == Result::kRefused || head_bytes_ + waiting <= limits_.max_head) return result;
  beast_->refusal_ = {431, "the head of the request is too large"};
  return Result::kRefused;
}

RequestParser::Result RequestParser::ParseChunks(std::string_view bytes, const Sink& sink,
                                                 size_t* used) {
  *used = 0;
  beast_->sink_ = &sink;
  // Beast returns after each part; a part that uses nothing is the end of what there is.
  for (;;) {
    if (beast_->is_done()) return Result::kDone;
    if (EndsInLastChunk(bytes.substr(*used))) return Result::kMore;
    size_t part = 0;
    const size_t content = beast_->content_;
    const Result result = beast_->Parse(bytes.substr(*used), &part);
    *used += part;
    if (result != Result::kDone) return result;
    if (part - (beast_->content_ - content) > limits_.max_head) {
      beast_->refusal_ = {400, "malformed chunk length or chunk end: a line is too long"};
      return Result::kRefused;
    }
    if (part == 0 && !beast_->is_done()) return Result::kMore;
  }
}

const RequestHead& RequestParser::head() const {
  return beast_->head_;
}
const Refusal& RequestParser::refusal() const {
  return beast_->refusal_;
}

}  // namespace outrigger::http
