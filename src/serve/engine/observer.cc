#include "serve/engine/observer.h"

namespace outrigger::engine {

std::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kFilter:
      return "filter";
    case Verb::kPrioritize:
      return "prioritize";
    case Verb::kBind:
      return "bind";
    case Verb::kPreempt:
      return "preempt";
  }
  return "unknown";
}

std::string_view ErrorKindName(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNone:
      return "none";
    case ErrorKind::kBadRequest:
      return "bad_request";
    case ErrorKind::kUnanswerable:
      return "unanswerable";
    case ErrorKind::kAgent:
      return "agent";
    case ErrorKind::kInternal:
      return "internal";
    case ErrorKind::kAbandoned:
      return "abandoned";
  }
  return "unknown";
}

}  // namespace outrigger::engine
