#include "http/answer/answer.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <span>
#include <utility>

namespace outrigger::http {
namespace {

std::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
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
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
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

}  // namespace

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

std::string AnswerHead(const Response& response, bool close) {
  std::array<char, 40> date{};
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Length: {}\r\n", response.status,
                  Reason(response.status), Date(&date), BodySize(response));
  if (!response.content_type.empty()) head += "Content-Type: " + response.content_type + "\r\n";
  if (!response.allow.empty()) head += "Allow: " + response.allow + "\r\n";
  if (close) head += "Connection: close\r\n";
  return head + "\r\n";
}

Response Failure(int status, std::string_view text) {
  Response response;
  response.status = status;
  response.body = fmt::format(R"({{"error":"{}"}})", text);
  return response;
}

void AnswerWriter::Set(Response response, bool close, bool with_body) {
  answer_ = std::move(response);
  head_ = AnswerHead(answer_, close);
  parts_ = {head_};
  if (with_body) {
    for (const std::string_view part : BodyParts(answer_)) {
      if (!part.empty()) parts_.push_back(part);
    }
  }
  part_ = 0;
}

Moved AnswerWriter::Write(Transport& transport) {
  while (part_ < parts_.size()) {
    const Moved moved = transport.Write(std::span(parts_).subspan(part_));
    if (moved.how != Moved::How::kBytes) return moved;
    Written(moved.bytes);
  }
  return {Moved::How::kBytes, 0};
}

void AnswerWriter::Written(size_t bytes) {
  while (part_ < parts_.size() && bytes >= parts_[part_].size()) bytes -= parts_[part_++].size();
  if (part_ < parts_.size()) parts_[part_].remove_prefix(bytes);
}

void AnswerWriter::Clear() {
  parts_.clear();
  answer_.inserts.clear();
  answer_.body.clear();
  texts_.Give(std::exchange(answer_.body, std::string()));
}

}  // namespace outrigger::http
