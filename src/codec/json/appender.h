#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "codec/json/text.h"

namespace outrigger::json {

/// Appends thousands of short pieces to a text: into memory that is there already, so that a piece
/// costs no more than its bytes. The text is complete when this is gone; until then it is not to be
/// touched. Not thread-safe.
class Appender {
 public:
  /// `expected` bytes are made room for at once.
  Appender(std::string* out, size_t expected) : out_(*out), size_(out->size()) {
    out_.resize(size_ + expected);
  }
  ~Appender() { out_.resize(size_); }
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  /// Called as std::string calls it.
  void append(std::string_view text) {
    Grow(text.size());
    Put(text);
  }
  /// AppendString().
  void AppendQuoted(std::string_view text) {
    if (!IsPlain(text)) return AppendEscaped(text);
    Grow(text.size() + 2);
    out_[size_++] = '"';
    Put(text);
    out_[size_++] = '"';
  }

 private:
  void Grow(size_t more) {
    if (out_.size() - size_ < more) out_.resize(2 * out_.size() + more);
  }
  void Put(std::string_view text) {
    std::memcpy(out_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  // Not into out_ itself: to cut it back and to grow it again would fill all its room each time.
  void AppendEscaped(std::string_view text) {
    escaped_.clear();
    AppendString(text, &escaped_);
    append(escaped_);
  }

  std::string& out_;
  size_t size_;  // of what is written; out_ is as long as there is room
  std::string escaped_;
};

}  // namespace outrigger::json
