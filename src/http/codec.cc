#include "http/codec.h"

#include <fmt/format.h>
#include <httplib.h>

#include <array>
#include <ctime>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"

// cpp-httplib parses a head and formats one. Everything else of its server has a fault that hurts
// here (see docs/http.md), so sockets, bodies, limits and threads are ours, and what is used of it
// is process_request() on a Stream, as its own TLS server does.

namespace outrigger::http {
namespace {

constexpr size_t kMaxHead = size_t{32} << 10;

/// The library's view of a connection.
class StreamOn final : public httplib::Stream {
 public:
  explicit StreamOn(Connection& connection) : connection_(connection) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t size) override { return connection_.Read(to, size); }
  ssize_t write(const char* from, size_t size) override {
    connection_.Hold({from, size});
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = connection_.peer();
    port = 0;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip.clear();
    port = 0;
  }
  // Some versions refuse descriptors that select() cannot take; there is no select() here.
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  Connection& connection_;
};

/// The handlers get no context but the request, and run on the thread that called process_request.
struct Current {
  Connection& connection;
  Exchange& exchange;
  std::string expect;
  bool without_body = false;
};
thread_local Current* current = nullptr;

std::string_view Header(const httplib::Request& request, const char* name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string_view{} : std::string_view{found->second};
}

/// RFC 9112, 9.6: any "close" among the options ends the connection.
bool AsksToClose(std::string_view connection) {
  return absl::AsciiStrToLower({connection.data(), connection.size()}).find("close") !=
         std::string::npos;
}

std::string_view QueryOf(std::string_view target) {
  const size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
}

RequestHead HeadOf(const httplib::Request& request) {
  RequestHead head;
  head.method = request.method;
  head.path = request.path;
  head.query = QueryOf(request.target);
  head.content_type = Header(request, "Content-Type");
  head.content_length = Header(request, "Content-Length");
  head.lengths = request.headers.count("Content-Length");
  head.transfer_encoding = Header(request, "Transfer-Encoding");
  head.codings = request.headers.count("Transfer-Encoding");
  head.content_encoding = Header(request, "Content-Encoding");
  head.expect = current->expect;
  head.close = request.version == "HTTP/1.0" || AsksToClose(Header(request, "Connection"));
  return head;
}

/// Takes from the request what would make the library act on its own.
void Disarm(httplib::Request& request) {
  current->connection.EndHead();
  current->expect = std::string(Header(request, "Expect"));
  request.headers.erase("Expect");
  request.headers.erase("Accept-Encoding");
  request.headers.erase("Range");
  request.ranges.clear();
}

std::string HttpDate() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 40> text{};
  // Names of days and months are those of the C locale, which no part of the program changes.
  const size_t size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return {text.data(), size};
}

httplib::Server::HandlerResponse Answer(const httplib::Request& request, httplib::Response&) {
  current->without_body = request.method == "HEAD";
  current->exchange.Answer(HeadOf(request));
  return httplib::Server::HandlerResponse::Handled;
}

std::string PlainHead(const Response& response) {
  return fmt::format(
      "HTTP/1.1 {} Refused\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
      response.status, response.content_type, response.body.size());
}

/// Runs just before the head is written, for the library's own refusals too.
void WriteHead(const httplib::Request&, httplib::Response& out) {
  Exchange& exchange = current->exchange;
  current->connection.EndHead();
  if (!exchange.answered()) exchange.RefuseHead(out.status);
  const Response& response = exchange.response();
  out.status = response.status;
  out.body.clear();  // sent from where it lies, behind the head
  out.headers.clear();
  out.set_header("Date", HttpDate());
  out.set_header("Content-Length", std::to_string(response.body.size()));
  if (!response.content_type.empty()) out.set_header("Content-Type", response.content_type);
  if (!response.allow.empty()) out.set_header("Allow", response.allow);
  if (exchange.close()) out.set_header("Connection", "close");
}

}  // namespace

class Codec::Httplib final : private httplib::Server {
 public:
  Httplib() {
    set_pre_routing_handler(Answer);
    set_post_routing_handler(WriteHead);
  }

  bool Process(httplib::Stream& stream, bool* closed) { return Dispatch(*this, stream, closed); }

 private:
  /// Versions differ in what process_request() wants to be told (0.18: the addresses too).
  template <typename Self>
  static bool Dispatch(Self& self, httplib::Stream& stream, bool* closed) {
    if constexpr (requires { self.process_request(stream, false, *closed, Disarm); }) {
      return self.process_request(stream, false, *closed, Disarm);
    } else {
      return self.process_request(stream, "", 0, "", 0, false, *closed, Disarm);
    }
  }
};

Codec::Codec() : httplib_(std::make_unique<Httplib>()) {}
Codec::~Codec() = default;

bool Codec::Run(Connection& connection, Exchange& exchange) {
  Current now{connection, exchange, {}};
  current = &now;
  const absl::Cleanup forget = [] { current = nullptr; };
  connection.BeginHead(kMaxHead);
  StreamOn stream(connection);
  bool closed = false;
  if (!httplib_->Process(stream, &closed)) {
    // The library gives up on a first line that does not end, and says nothing.
    if (!connection.head_too_large() && !connection.timed_out()) return false;
    exchange.RefuseHead(400);
    connection.Hold(PlainHead(exchange.response()));
  }
  const std::string_view body = exchange.response().body;
  return connection.Send(now.without_body ? std::string_view{} : body);
}

}  // namespace outrigger::http
