#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/body.h"
#include "codec/json/reader.h"
#include "sdk/names/name_set.h"

namespace outrigger::json {

/// simdjson's parser with the memory that a decode works in. For one body at a time.
class Parser {
 public:
  /// Finds the structure of `body` and gives its top-level object. What else the body is, and what
  /// is broken outside of objects, is InvalidArgument.
  absl::Status Open(Body body, Object* root);
  /// To be called when the object has been read: InvalidArgument if the body goes on after it or
  /// ends before it.
  absl::Status Close();
  /// Back to the beginning, to read the object once more.
  absl::Status Rewind(Object* root);

  /// Bytes of the largest body that fits without growing.
  size_t capacity() const { return parser_.capacity(); }

  // Working memory, reused from call to call; the decoders clear it before use.
  std::vector<std::string_view> names;
  names::NameSet name_set;

 private:
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
};

/// A parser on loan from a pool that all threads share. The pool hands out the one used last, whose
/// memory is warm, and keeps parsers for at most kKeptBytes of bodies: a huge one is forgotten.
/// What lies unused goes back by TrimParsers().
class ParserLease {
 public:
  static constexpr size_t kKeptBytes = size_t{96} << 20U;

  ParserLease();
  ~ParserLease();
  ParserLease(const ParserLease&) = delete;
  ParserLease& operator=(const ParserLease&) = delete;

  Parser& operator*() const { return *parser_; }
  Parser* operator->() const { return parser_.get(); }

 private:
  std::unique_ptr<Parser> parser_;
};

// The memory that parsers keep from call to call. Thread-safe.

/// What parsers hold that nobody uses now, in bytes of bodies: at most ParserLease::kKeptBytes.
size_t KeptParserBytes();

/// Frees the parsers that nobody has used since the last call of this.
void TrimParsers();

}  // namespace outrigger::json
