#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace outrigger::engine {

enum class Verb : uint8_t { kFilter, kPrioritize, kBind, kPreempt };

/// "filter", "prioritize", "bind" or "preempt": the last part of a path, and a label of metrics.
std::string_view VerbName(Verb verb);

/// Why a call was not answered as asked; the label `kind` of the error metric.
enum class ErrorKind : uint8_t {
  kNone,
  kBadRequest,    ///< not the protocol
  kUnanswerable,  ///< the protocol, but without an answer (no nodes, names without a source)
  kAgent,         ///< an agent said that it cannot answer, or a binding failed
  kInternal,      ///< a fault of ours
  kAbandoned,     ///< the caller had gone before the answer
};
std::string_view ErrorKindName(ErrorKind kind);

/// One finished call. Views live during OnCall only.
struct CallRecord {
  std::string_view agent;  // as Endpoint::agent
  Verb verb = Verb::kFilter;
  ErrorKind error = ErrorKind::kNone;
  size_t request_bytes = 0;
  size_t response_bytes = 0;
  size_t nodes = 0;  // offered
  double seconds = 0;
};

/// Who counts. All methods are called from many threads at once and must be quick.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnCall(const CallRecord& call) = 0;
  /// `count` nodes were rejected by `agent` for a reason of this class in one call.
  virtual void OnRejected(std::string_view agent, std::string_view reason_class, size_t count) = 0;
  /// `agent` (empty: the decoder) could not use the value of `field`.
  virtual void OnMalformed(std::string_view agent, std::string_view field) = 0;
  /// Names of a names-only call that the node source does not know.
  virtual void OnUnknownNodes(std::string_view agent, size_t count) = 0;
};

}  // namespace outrigger::engine
