#include "http/answer/answer.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <utility>

namespace outrigger::http {
namespace {

std::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";  // RFC 9112, 4: the phrase may be empty
  }
}

std::string_view Date(std::array<char, 40>* text) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  // Names of days and months are those of the C locale, which no part of the program changes.
  const size_t size = std::strftime(text->data(), text->size(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return {text->data(), size};
}

constexpr std::array<std::string_view, 7> kOwnHeaders = {
    "content-length", "content-type",      "connection", "date",
    "allow",          "transfer-encoding", "trailer"};

bool IsHeaderName(std::string_view name) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  const auto may_be_part = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           kMarks.find(c) != std::string_view::npos;
  };
  const auto is_name = [name](std::string_view own) {
    return absl::EqualsIgnoreCase({own.data(), own.size()}, {name.data(), name.size()});
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), may_be_part) &&
         std::none_of(kOwnHeaders.begin(), kOwnHeaders.end(), is_name);
}

bool IsHeaderValue(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    return c != '\t' && absl::ascii_iscntrl(static_cast<unsigned char>(c));
  });
}

}  // namespace

bool HeadersAreSendable(const Response& response) {
  return std::all_of(response.headers.begin(), response.headers.end(), [](const auto& header) {
    return IsHeaderName(header.first) && IsHeaderValue(header.second);
  });
}

size_t BodySize(const Response& response) {
  size_t size = response.body.size();
  for (const Insert& insert : response.inserts) size += insert.bytes.size();
  return size;
}

std::vector<std::string_view> BodyParts(const Response& response) {
  std::vector<std::string_view> parts;
  parts.reserve(2 * response.inserts.size() + 1);
  const std::string_view text(response.body);
  size_t done = 0;
  for (const Insert& insert : response.inserts) {
    parts.push_back(text.substr(done, insert.at - done));
    parts.push_back(insert.bytes);
    done = insert.at;
  }
  parts.push_back(text.substr(done));
  return parts;
}

std::string AnswerHead(const Response& response, Framing framing, bool close) {
  std::array<char, 40> date{};
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status,
                                 Reason(response.status), Date(&date));
  if (framing == Framing::kLength) {
    fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", BodySize(response));
  }
  if (framing == Framing::kChunked) head += "Transfer-Encoding: chunked\r\n";
  if (!response.content_type.empty()) head += "Content-Type: " + response.content_type + "\r\n";
  if (!response.allow.empty()) head += "Allow: " + response.allow + "\r\n";
  for (const auto& [name, value] : response.headers) {
    fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  }
  if (close) head += "Connection: close\r\n";
  return head + "\r\n";
}

Response Failure(int status, std::string_view text) {
  Response response;
  response.status = status;
  response.body = fmt::format(R"({{"error":"{}"}})", text);
  return response;
}

void AnswerWriter::Set(Response response, Framing framing, bool close, bool with_body) {
  answer_ = std::move(response);
  head_ = AnswerHead(answer_, framing, close);
  parts_.Clear();
  parts_.Add(head_);
  if (!with_body) return;
  for (const std::string_view part : BodyParts(answer_)) parts_.Add(part);
}

Moved AnswerWriter::Write(Transport& transport) {
  size_t sent = 0;
  return parts_.Write(transport, &sent);
}

void AnswerWriter::Clear() {
  parts_.Clear();
  answer_.inserts.clear();
  answer_.body.clear();
  texts_.Give(std::exchange(answer_.body, std::string()));
}

}  // namespace outrigger::http
