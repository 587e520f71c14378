#include "http/answer/writer.h"

#include <span>
#include <utility>

#include "http/answer/answer.h"

namespace outrigger::http {

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
