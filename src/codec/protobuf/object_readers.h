#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/json/path.h"
#include "outrigger/agent/needs.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

/// Readers of Kubernetes objects in their protobuf form. They give what the readers of
/// src/codec/json give of the JSON form of the same object: the same fields for the same needs, the
/// same values taken for malformed, listed with the same places and texts (those of one object in
/// any order).
///
/// `object` is the message alone: Envelope::raw, or an element of a list. It is only read while the
/// call lasts. `at` is where the object stands, and ends with AsObject().
///
/// InvalidArgument, "<place>: broken protobuf: ...", for bytes that are not well-formed as far as
/// they are read, and for what the readers of JSON refuse. The object is then valid, and
/// incomplete. What nobody needs is stepped over without a look. In texts that are kept each byte
/// that is not UTF-8 becomes U+FFFD, as in the JSON that an API server writes of them; keys of maps
/// and the words that are told apart (operators, effects) are refused, since the server checks
/// those.
///
/// Work is linear in the input but for the ordering of maps. Memory: an element of a list takes up
/// to 200 bytes, of which two bytes of input may be enough. Thread-safe.
namespace outrigger::protobuf {

/// Reads `node` anew, into the memory it has.
absl::Status ReadNode(std::string_view object, const json::Path& at, const Needs& needs,
                      Node* node);

/// Reads `pod` anew, nothing of its former content stays.
absl::Status ReadPod(std::string_view object, const json::Path& at, const Needs& needs, Pod* pod);

}  // namespace outrigger::protobuf
