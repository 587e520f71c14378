#include "http/server/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "http/answer/answer.h"

namespace outrigger::http {
namespace {

// How long is read on behind a refusal.
constexpr std::chrono::seconds kLingerTime{1};
// Who connects while the server drains means to send something; this long it may take to begin.
constexpr std::chrono::milliseconds kDrainGrace{200};

constexpr size_t kMostBytes = size_t{64} << 20;
constexpr size_t kBytesAtOnce = size_t{64} << 10;

}  // namespace

Connection::Connection(uint64_t number, Fd socket, std::unique_ptr<Transport> transport,
                       bool handshake, Shared& shared)
    : number_(number),
      socket_(std::move(socket)),
      transport_(std::move(transport)),
      shared_(shared),
      peer_(PeerOf(socket_)),
      reader_(shared.limits, shared.bodies, shared.memory),
      phase_(handshake ? Phase::kHandshake : Phase::kReading),
      deadline_(Clock::now() +
                (handshake ? shared.options.head_timeout : shared.options.idle_timeout)),
      writer_(shared.answers) {
  // Without this a small answer waits for the peer's delayed acknowledgement, some 40 ms.
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

bool Connection::idle() const {
  return phase_ == Phase::kReading && reader_.state() == RequestReader::State::kIdle;
}

bool Connection::moving() const {
  return phase_ == Phase::kWriting ||
         (phase_ == Phase::kReading && reader_.state() == RequestReader::State::kBody);
}

void Connection::Abort() const {
  ::shutdown(socket_.get(), SHUT_RDWR);
}

Connection::Next Connection::Close() {
  phase_ = Phase::kClosed;
  return Next::kClose;
}

Connection::Next Connection::Blocked(Moved::How how, Clock::time_point now) {
  if (now >= deadline_) return Close();
  return how == Moved::How::kWouldWrite ? Next::kWrite : Next::kRead;
}

Connection::Next Connection::Advance(Clock::time_point now) {
  for (;;) {
    const Phase before = phase_;
    Next next = Next::kClose;
    switch (phase_) {
      case Phase::kHandshake:
        next = Handshake(now);
        break;
      case Phase::kReading:
        next = Read(now);
        break;
      case Phase::kCalling:
        return Next::kCall;
      case Phase::kWriting:
        next = Write(now);
        break;
      case Phase::kStreaming:
        next = Push(now);
        break;
      case Phase::kLingering:
        next = Linger(now);
        break;
      case Phase::kClosed:
        return Next::kClose;
    }
    // A phase that ended hands over to the next one.
    if (phase_ == before || phase_ == Phase::kClosed) return next;
  }
}

Connection::Next Connection::Handshake(Clock::time_point now) {
  const Moved moved = transport_->Handshake();
  switch (moved.how) {
    case Moved::How::kBytes:
      phase_ = Phase::kReading;
      deadline_ = now + shared_.options.idle_timeout;
      return Next::kRead;
    case Moved::How::kWouldRead:
    case Moved::How::kWouldWrite:
      if (now >= deadline_) shared_.HandshakeFailed(peer_, "it was not completed in time", now);
      return Blocked(moved.how, now);
    case Moved::How::kEnd:
      return Close();
    case Moved::How::kFailed:
      break;
  }
  shared_.HandshakeFailed(peer_, transport_->HandshakeFailure(), now);
  // An alert says why. With TLS 1.3 the peer may be sending its request already: see Linger.
  unread_ = true;
  EndWriting(now);
  return Next::kRead;
}

/// Every deadline is one of the wall clock: a byte now and then does not move it.
void Connection::ReadingBegan(RequestReader::State before, Clock::time_point now) {
  using State = RequestReader::State;
  const State state = reader_.state();
  if (state == before) return;
  if (before == State::kIdle) first_byte_ = now;
  fresh_ = false;
  switch (state) {
    case State::kLine:
      deadline_ = first_byte_ + shared_.options.line_timeout;
      break;
    case State::kHeaders:
      deadline_ = first_byte_ + shared_.options.head_timeout;
      break;
    case State::kBody:
      deadline_ = now + shared_.options.body_timeout;
      break;
    default:
      break;
  }
}

bool Connection::Expire(Clock::time_point now) {
  if (now < deadline_) return false;
  if (reader_.state() == RequestReader::State::kBody) {
    reader_.Refuse(408, "the body did not arrive in time");
  } else {
    reader_.Refuse(408, "the head of the request did not arrive in time");
  }
  return true;
}

Connection::Next Connection::Read(Clock::time_point now) {
  using State = RequestReader::State;
  const State before = reader_.state();
  Moved::How blocked = Moved::How::kWouldRead;
  State state = reader_.Advance(*transport_, &blocked);
  ReadingBegan(before, now);
  if (state == State::kIdle) {
    if (shared_.draining) deadline_ = std::min(deadline_, fresh_ ? now + kDrainGrace : now);
    fresh_ = fresh_ && !shared_.draining;  // the grace is given once
    return Blocked(blocked, now);
  }
  if (state < State::kComplete) {
    if (!Expire(now)) return Blocked(blocked, now);
    state = State::kRefused;
  }
  if (state == State::kEnded) return Close();
  if (state == State::kComplete) {
    phase_ = Phase::kCalling;
    return Next::kCall;
  }
  ++shared_.refused;
  unread_ = true;
  SetAnswer(shared_.Refusal(reader_.refusal().status, reader_.refusal().text), true);
  return Next::kWrite;
}

Request Connection::BeginCall() {
  const MutexLock lock(call_mutex_);
  call_ = std::stop_source();
  const RequestHead& head = reader_.head();
  return {.method = head.method,
          .path = head.path,
          .query = head.query,
          .content_type = head.content_type,
          .body = reader_.body(),
          .peer = peer_,
          .abandoned = call_.get_token(),
          .fields = head.fields};
}

void Connection::EndCall() {
  const MutexLock lock(call_mutex_);
  if (call_.stop_requested()) ++shared_.abandoned;
  call_ = std::stop_source(std::nostopstate);
}

std::stop_source Connection::CurrentCall() {
  const MutexLock lock(call_mutex_);
  return call_;
}

void Connection::Abandon() {
  // Without the lock: this runs what waits for it.
  CurrentCall().request_stop();
}

void Connection::SetAnswer(Response response, bool close) {
  const RequestHead& head = reader_.head();
  close_ = close || head.close || shared_.draining;
  const bool with_body = head.method != "HEAD";
  Framing framing = Framing::kLength;
  if (const auto stream = std::exchange(response.stream, nullptr)) {
    framing = head.http10 ? Framing::kUntilClose : Framing::kChunked;
    ++shared_.streams;
    sender_.Begin(stream, !head.http10, nudge_);
    if (!with_body) EndStream();
  }
  writer_.Set(std::move(response), framing, close_, with_body && framing == Framing::kLength);
  phase_ = Phase::kWriting;
  deadline_ = Clock::now() + shared_.options.answer_timeout;
}

void Connection::RefuseAll(int status, std::string_view text) {
  unread_ = true;
  SetAnswer(shared_.Refusal(status, text), true);
}

Connection::Next Connection::Write(Clock::time_point now) {
  const Moved moved = writer_.Write(*transport_);
  switch (moved.how) {
    case Moved::How::kBytes:
      if (sender_.active()) {
        reader_.Next();  // a stream may be long, and needs nothing of the request
        phase_ = Phase::kStreaming;
      } else {
        AfterAnswer(now);
      }
      return Next::kRead;
    case Moved::How::kWouldRead:
    case Moved::How::kWouldWrite:
      return Blocked(moved.how, now);
    case Moved::How::kEnd:
    case Moved::How::kFailed:
      break;
  }
  return Close();
}

/// Unlike other answers a stream may take for ever, but not stand still while it has bytes.
Connection::Next Connection::Push(Clock::time_point now) {
  using How = StreamSender::Result::How;
  if (shared_.draining) sender_.End();
  const StreamSender::Result result = sender_.Send(*transport_);
  if (result.sent > 0 || deadline_ == Clock::time_point::max()) {
    deadline_ = now + shared_.options.answer_timeout;
  }
  switch (result.how) {
    case How::kWaits:
      deadline_ = Clock::time_point::max();
      return HungUp() ? Close() : Next::kStream;
    case How::kBlocked:
      if (now < deadline_) return Blocked(result.blocked, now);
      break;
    case How::kEnded:
      EndStream();
      AfterAnswer(now);
      return Next::kRead;
    case How::kFailed:
      break;
  }
  // Reset, so that even a body without chunks is not taken for a complete one.
  const linger none{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  return Close();
}

bool Connection::HungUp() const {
  pollfd socket{socket_.get(), POLLRDHUP, 0};
  return ::poll(&socket, 1, 0) > 0;
}

void Connection::EndStream() {
  if (!sender_.active()) return;
  --shared_.streams;
  sender_.Close();
}

void Connection::AfterAnswer(Clock::time_point now) {
  writer_.Clear();
  if (!close_) {
    reader_.Next();
    phase_ = Phase::kReading;
    deadline_ = now + shared_.options.idle_timeout;
    return;
  }
  EndWriting(now);
}

/// In the usual case nothing is left to read and the peer closes next; else see Leftovers.
void Connection::EndWriting(Clock::time_point now) {
  transport_->EndWriting();
  phase_ = Phase::kLingering;
  deadline_ = now + (unread_ ? kLingerTime : std::chrono::seconds{0});
}

Connection::Next Connection::Linger(Clock::time_point now) {
  const bool goes_on = unread_ && now < deadline_ && leftovers_.Discard(socket_.get());
  return goes_on ? Blocked(Moved::How::kWouldRead, now) : Close();
}

bool Leftovers::Discard(int socket) {
  std::vector<char> space(kBytesAtOnce);
  while (discarded_ < kMostBytes) {
    // Not by the transport: what is thrown away need not be decrypted, and may not be decryptable.
    const ssize_t read = ::recv(socket, space.data(), space.size(), 0);
    if (read > 0) {
      discarded_ += static_cast<size_t>(read);
    } else if (read < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return true;
    } else if (read == 0 || errno != EINTR) {
      return false;
    }
  }
  return false;
}

}  // namespace outrigger::http
