#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "http/budget.h"
#include "http/head.h"
#include "http/pool.h"
#include "http/request_parser.h"
#include "http/transport.h"

namespace outrigger::http {

/// Reads requests off a transport, as far as bytes have come, and refuses what no handler should
/// see. Knows no time: whoever waits for more bytes decides how long. Not thread-safe.
class RequestReader {
 public:
  /// All three outlive the reader. `memory` is charged with bytes that have come, not
  /// with bytes that were announced: announcing is free.
  RequestReader(const ReaderLimits& limits, Pool<Buffer>& bodies, Budget& memory);
  ~RequestReader();
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
  std::string_view body() const { return body_; }
  const Refusal& refusal() const { return refusal_; }
  /// Ends the request from outside, e.g. because it takes too long.
  void Refuse(int status, std::string text);

  /// Forgets the request; what has come behind it stays.
  void Next();

 private:
  bool Step(Transport& transport, Moved::How* blocked);
  bool ReadHead(Transport& transport, Moved::How* blocked);
  void FinishHead();
  bool SendContinue(Transport& transport, Moved::How* blocked);
  bool ReadLength(Transport& transport, Moved::How* blocked);
  bool ReadChunks(Transport& transport, Moved::How* blocked);
  void ReserveInput();
  bool Fill(Transport& transport, Moved::How* blocked);
  bool TakeResult(const Moved& moved, Moved::How* blocked);
  void PlanBody();
  void BeginLength();
  bool Append(std::string_view content);
  bool Charge(size_t bytes);
  void CompleteInPlace(size_t length);
  void Complete(char* body, size_t length);
  bool SkipEmptyLines();
  std::string_view unread() const { return {input_.data() + begin_, end_ - begin_}; }

  const ReaderLimits& limits_;
  Pool<Buffer>& bodies_;
  Budget& memory_;

  State state_ = State::kIdle;
  std::unique_ptr<RequestParser> parser_;
  Refusal refusal_;
  Buffer input_;  // heads, and small bodies; made when bytes are expected
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t empty_lines_ = 0;     // before the request
  std::string_view continue_;  // what is left to say of "100 Continue"
  Buffer large_;               // bodies that do not fit into input_
  size_t size_ = 0;            // bytes of the body in large_
  size_t charged_ = 0;
  std::string_view body_;
};

}  // namespace outrigger::http
