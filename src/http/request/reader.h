#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/pool.h"
#include "http/request/body_reader.h"
#include "http/request/input.h"
#include "http/request/parser.h"
#include "http/socket/transport.h"

namespace outrigger::http {

/// Reads requests off a transport, as far as bytes have come, and refuses what no handler should
/// see. Knows no time: whoever waits for more bytes decides how long. Not thread-safe.
class RequestReader {
 public:
  /// All three outlive the reader. `memory` is charged with bytes that have come, not
  /// with bytes that were announced: announcing is free.
  RequestReader(const ReaderLimits& limits, Pool<Buffer>& bodies, Budget& memory);
  ~RequestReader() = default;
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  enum class State {
    kIdle,      // not a byte of the next request
    kLine,      // inside the first line
    kHeaders,   // inside the headers
    kBody,      // inside the body
    kComplete,  // head() and body() may be used
    kRefused,   // refusal() says why; the connection has to end
    kEnded,     // the peer has closed, or the transport failed
  };

  /// Reads until the state is one of the last three, or the transport has nothing now; `blocked`
  /// then says what it waits for.
  State Advance(Transport& transport, Moved::How* blocked);

  State state() const { return state_; }
  const RequestHead& head() const;
  /// Followed by kBodyPadding zero bytes; valid until Next().
  std::string_view body() const { return body_.body(); }
  const Refusal& refusal() const { return refusal_; }
  /// Ends the request from outside, e.g. because it takes too long.
  void Refuse(int status, std::string text) { Refuse({status, std::move(text)}); }

  /// Forgets the request; what has come behind it stays.
  void Next();

 private:
  bool Step(Transport& transport, Moved::How* blocked);
  bool ReadHead(Transport& transport, Moved::How* blocked);
  bool ParseHead();
  void FinishHead();
  bool SendContinue(Transport& transport, Moved::How* blocked);
  bool ReadBody(Transport& transport, Moved::How* blocked);
  bool TakeResult(const Moved& moved, Moved::How* blocked);
  void Refuse(Refusal refusal);
  bool SkipEmptyLines();

  const ReaderLimits& limits_;

  State state_ = State::kIdle;
  std::unique_ptr<RequestParser> parser_;
  Refusal refusal_;
  Input input_;
  size_t empty_lines_ = 0;     // before the request
  std::string_view continue_;  // what is left to say of "100 Continue"
  BodyReader body_;
};

}  // namespace outrigger::http
