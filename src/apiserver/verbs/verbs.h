#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/store.h"
#include "apiserver/verbs/call.h"
#include "apiserver/verbs/catalog.h"
#include "apiserver/verbs/watches.h"
#include "apiserver/verbs/writes.h"
#include "outrigger/base/clock.h"
#include "outrigger/base/mutex.h"

// What requests do with resources: their bodies and options, and what they are answered with.

namespace outrigger::apiserver {

/// What verbs work with; all live longer.
struct Api {
  Store* store;
  Catalog* catalog;
  const Writes* writes;
  Watches* watches;
  Clock clock;
  mutable Mutex definitions = {};  // one is served at a time
};

/// One verb, or one subresource. Thread-safe.
using Verb = std::optional<Failure>(const Api& api, Call* call, Reply* reply);
Verb Get, List;  // List may be a watch, as the query says
Verb Create, Update, Patch, Delete, DeleteMany;
Verb Bind, Evict, Scale;
/// Access and token reviews: who is at loopback may do all, and tokens are not looked at.
Verb Review;

/// The verb that a request means, as far as it is served.
Verb Perform;

/// A Status object of what went well and has nothing more to say.
Json SuccessStatus();

/// The object of a body of JSON or protobuf; 415 for others. Duplicate fields are reported as the
/// query says.
std::optional<Failure> ReadBody(Call* call, Json* object);

/// A body that is no object of a resource: `type` of the type table, "io.k8s.api.core.v1.Binding".
std::optional<Failure> ReadBodyOf(const char* type, Call* call, Json* object);

/// Makes of a body, or of what a patch made, an object as it is kept: checks its kind and place,
/// reports unknown fields as the query says, sets defaults. The status of one that is created goes.
std::optional<Failure> Decode(Call* call, Json* object);

/// The same of what a controller made, which is trusted; `is_new`: its status goes.
std::optional<Failure> Shape(const Served& served, bool is_new, Json* object,
                             std::vector<std::string>* unknown);

/// A patch in the form that the Content-Type says.
std::optional<Failure> ReadPatch(const Call& call, Json* patch);
std::optional<Failure> ApplyPatch(const Call& call, const Json& patch, Json* object);

/// What says which resources are served: /api, /apis, their groups and group versions, and OpenAPI
/// v3. `aggregated`: /api and /apis as an APIGroupDiscoveryList v2. Nothing: another path.
std::optional<Json> DiscoveryAt(const Catalog& catalog, std::string_view path, bool aggregated);

/// Serves what CustomResourceDefinitions define, from the moment in which they are written: to be
/// called when a request has written an object. With a definition its objects go, at once.
void FollowDefinitions(const Api& api, const Served& served, const std::string& name);

}  // namespace outrigger::apiserver
