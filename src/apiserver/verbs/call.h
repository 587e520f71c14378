#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/verbs/catalog.h"
#include "apiserver/verbs/target.h"
#include "http/server.h"

namespace outrigger::apiserver {

/// A request about a resource that is served.
struct Call {
  const http::Request& http;
  Target target;
  Query query;
  ServedPtr served;
  std::vector<std::string> warnings = {};  // headers `Warning: 299` of the answer

  Subject subject() const { return served->SubjectOf(target.name); }
  ObjectName object_name() const { return {target.namespace_, target.name}; }
};

/// What a call is answered with, if it does not fail.
struct Reply {
  int code = 200;
  std::string body;
  std::string name = {};  // of an object that was created
  std::shared_ptr<http::Stream> stream = nullptr;
};

/// Whether the client wants a table, and of which form; or that it accepts nothing that is served.
struct Accepted {
  bool as_table = false;
  bool json = true;
};
Accepted ReadAccept(std::string_view header);

}  // namespace outrigger::apiserver
