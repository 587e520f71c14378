#pragma once

#include <cstddef>
#include <string_view>

#include "http/pool.h"
#include "http/request/input.h"
#include "http/request/parser.h"
#include "http/socket/transport.h"

namespace outrigger::http {

/// Reads the bodies of one request after the other, of known length or in chunks: small ones stay
/// in the input, others go to pooled memory. Not thread-safe.
class BodyReader {
 public:
  /// All three outlive the reader. `memory` is charged with bytes that have come, not with bytes
  /// that were announced: announcing is free.
  BodyReader(const ReaderLimits& limits, Pool<Buffer>& bodies, Budget& memory);
  ~BodyReader();
  BodyReader(const BodyReader&) = delete;
  BodyReader& operator=(const BodyReader&) = delete;

  enum class State {
    kReading,   // of no use yet
    kComplete,  // body() may be used
    kRefused,   // refusal() says why
  };

  /// Begins the body behind `head`, which RefuseByHead() lets through.
  void Begin(const RequestHead& head, Input& input);
  /// One step forward: what has come in `input` or comes by `transport`, whose result this is.
  /// `parser` has read the head.
  Moved Step(Transport& transport, RequestParser& parser, Input& input);

  State state() const { return state_; }
  /// Followed by kBodyPadding zero bytes; valid until Clear().
  std::string_view body() const { return body_; }
  const Refusal& refusal() const { return refusal_; }

  /// Forgets the body and gives its memory back.
  void Clear();

 private:
  Moved ReadInPlace(Transport& transport, Input& input, size_t length);
  Moved ReadLength(Transport& transport, size_t length);
  Moved ReadChunks(Transport& transport, RequestParser& parser, Input& input);
  bool Append(std::string_view content);
  bool Charge(size_t bytes);
  Moved Refuse(Refusal refusal);
  Moved Complete();

  const ReaderLimits& limits_;
  Pool<Buffer>& bodies_;
  Budget& memory_;

  State state_ = State::kReading;
  Refusal refusal_;
  Buffer large_;     // bodies that do not stay in the input
  size_t size_ = 0;  // bytes of the body in large_
  size_t charged_ = 0;
  std::string_view body_;
};

}  // namespace outrigger::http
