#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "http/answer/answer.h"
#include "http/answer/stream_sender.h"
#include "http/fd.h"
#include "http/request/reader.h"
#include "http/server.h"
#include "http/server/shared.h"
#include "http/socket/transport.h"
#include "outrigger/base/mutex.h"

namespace outrigger::http {

/// What a peer still sends behind a refusal. Closing a socket with unread bytes resets it, and the
/// peer may lose the answer: so they are read, up to a limit, and thrown away. Not thread-safe.
class Leftovers {
 public:
  /// Throws away what has come on `socket`, which does not block. True if more may come; false when
  /// the peer has ended, or has sent more than anybody reads.
  bool Discard(int socket);

 private:
  size_t discarded_ = 0;
};

using Clock = std::chrono::steady_clock;

/// One accepted connection: where it stands between two bytes, and until when. It never waits; a
/// worker drives it as far as it goes, and the poller holds it meanwhile. Used by one thread at a
/// time, but for what is marked.
class Connection {
 public:
  /// `handshake`: the transport has to shake hands first.
  Connection(uint64_t number, Fd socket, std::unique_ptr<Transport> transport, bool handshake,
             Shared& shared);
  ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Never given twice by a server, unlike a descriptor.
  uint64_t number() const { return number_; }
  int socket() const { return socket_.get(); }

  enum class Next {
    kRead,    // wait until bytes come, at most until deadline(), and advance again
    kWrite,   // the same until the peer takes bytes
    kStream,  // wait until the stream of an answer has bytes, or the peer hangs up
    kCall,    // a request is complete: give it an answer by SetAnswer(), and advance again
    kClose,   // of no further use
  };
  Next Advance(Clock::time_point now);
  Clock::time_point deadline() const { return deadline_; }

  /// Between two requests, or before the first.
  bool idle() const;
  /// In the middle of moving a body: the next bytes are likely to be on their way.
  bool moving() const;

  const RequestHead& head() const { return reader_.head(); }
  /// The complete request, and a token that says when nobody wants its answer any more.
  Request BeginCall();
  void EndCall();
  /// From any thread: the peer has gone, or the server gives up on calls under way.
  void Abandon();

  /// `close`: the connection ends behind this answer.
  void SetAnswer(Response response, bool close);
  /// A mark for whoever counts the connections that stay for another call.
  void SetKept() { kept_ = true; }
  bool TakeKept() { return std::exchange(kept_, false); }
  /// `nudge` is called, on any thread, when a stream that had nothing has something.
  void SetNudge(std::function<void()> nudge) { nudge_ = std::move(nudge); }
  /// Tells the stream of the answer, if any, that nobody reads it any more.
  void EndStream();
  /// An answer instead of a request that nobody reads; the connection ends behind it.
  void RefuseAll(int status, std::string_view text);

  /// From any thread: cuts the connection off; whoever reads or writes it fails at once.
  void Abort() const;

 private:
  enum class Phase { kHandshake, kReading, kCalling, kWriting, kStreaming, kLingering, kClosed };

  Next Handshake(Clock::time_point now);
  Next Read(Clock::time_point now);
  Next Write(Clock::time_point now);
  Next Push(Clock::time_point now);
  Next Linger(Clock::time_point now);
  Next Blocked(Moved::How how, Clock::time_point now);
  void ReadingBegan(RequestReader::State before, Clock::time_point now);
  bool Expire(Clock::time_point now);
  bool HungUp() const;
  void AfterAnswer(Clock::time_point now);
  void EndWriting(Clock::time_point now);
  Next Close();
  std::stop_source CurrentCall();

  const uint64_t number_;
  const Fd socket_;
  const std::unique_ptr<Transport> transport_;
  Shared& shared_;
  const std::string peer_;
  RequestReader reader_;

  Phase phase_;
  bool kept_ = false;
  Clock::time_point deadline_;
  Clock::time_point first_byte_;
  bool fresh_ = true;  // before the first byte of the first request

  AnswerWriter writer_;
  StreamSender sender_;
  std::function<void()> nudge_;
  bool close_ = false;   // the connection ends behind the answer
  bool unread_ = false;  // there may be bytes of the request that nobody read
  Leftovers leftovers_;

  Mutex call_mutex_;
  std::stop_source call_ ABSL_GUARDED_BY(call_mutex_);
};

}  // namespace outrigger::http
