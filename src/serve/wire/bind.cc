#include <string>

#include "codec/json/parser.h"
#include "codec/json/reader.h"
#include "fmt/format.h"
#include "serve/wire/extender.h"

namespace outrigger::wire {
namespace {

using json::Field;
using json::KeyCase;
using json::Object;
using json::ParserLease;
using json::Path;
using json::ReadObject;

}  // namespace

absl::Status DecodeBindArgs(Body body, BindArgs* args) {
  *args = BindArgs();
  const ParserLease parser;
  Object root;
  absl::Status status = parser->Open(body, &root);
  if (status.ok()) {
    status = ReadObject<KeyCase::kAny>(root, Path(""), Field{"PodName", &args->pod_name},
                                       Field{"PodNamespace", &args->pod_namespace},
                                       Field{"PodUID", &args->pod_uid}, Field{"Node", &args->node});
  }
  if (status.ok()) status = parser->Close();
  if (!status.ok()) return status;

  struct Required {
    const char* key;
    const std::string& text;
  };
  for (const Required& required :
       {Required{"PodName", args->pod_name}, Required{"PodNamespace", args->pod_namespace},
        Required{"PodUID", args->pod_uid}, Required{"Node", args->node}}) {
    if (required.text.empty()) {
      return absl::FailedPreconditionError(fmt::format("{} is missing or empty", required.key));
    }
  }
  return status;
}

}  // namespace outrigger::wire
