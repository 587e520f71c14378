#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace outrigger::testing {

/// An answer as it came. Header names in lower case; the last of several wins.
struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;
  std::string body;

  /// The header's value, or "".
  std::string header(const std::string& lower_case_name) const;
};

/// An HTTP client that sends exactly the bytes it is given, for tests that need to be rude, and
/// that never retries. Every wait ends after 20 seconds. Not thread-safe.
class RawHttp {
 public:
  /// Connects to 127.0.0.1; a failure ends in connected() == false.
  explicit RawHttp(uint16_t port);
  ~RawHttp();
  RawHttp(const RawHttp&) = delete;
  RawHttp& operator=(const RawHttp&) = delete;

  bool connected() const { return fd_ >= 0; }
  /// False when the peer does not take the bytes any more.
  bool Send(std::string_view bytes);
  /// A plain request with Content-Length and what `headers` adds ("Name: value\r\n" each).
  bool SendRequest(std::string_view method, std::string_view path, std::string_view body = "",
                   std::string_view headers = "");
  /// The next answer with a status of 200 or above; nothing if the connection ends or stays silent
  /// before it is complete. `to_head`: the answer has no body, whatever its length says.
  std::optional<HttpAnswer> ReadAnswer(bool to_head = false);
  /// All that comes until `end`, with it; nothing if the connection ends or stays silent before.
  std::optional<std::string> ReadTo(std::string_view end);
  /// True when the peer has closed, and nothing else came before that.
  bool ReadsEnd();
  /// Says that nothing more will be sent.
  void EndSending();

  /// SendRequest and ReadAnswer.
  std::optional<HttpAnswer> Call(std::string_view method, std::string_view path,
                                 std::string_view body = "", std::string_view headers = "");

 private:
  /// Appends what comes next to received_; false at the end or when nothing comes.
  bool Receive();

  int fd_ = -1;
  std::string received_;
};

}  // namespace outrigger::testing
