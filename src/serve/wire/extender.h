#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/json/body.h"
#include "outrigger/agent/needs.h"
#include "outrigger/agent/stages.h"
#include "outrigger/agent/verdict.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

// The scheduler's extender protocol in JSON, decoded and encoded. This folder is the only place
// that knows the protocol's keys.
//
// Decoding. Keys of the protocol's own objects are taken in any case (Go decodes so, and older
// clients sent lower case); keys inside Pod and Node are camelCase, exactly. Null counts as absent.
// Only what `needs` names is read, checked in full, and may come once per object (in maps, such as
// labels, the last of equal keys wins). Of what is skipped is checked: UTF-8, closed strings, as
// many brackets opened as closed, the outermost pair of one kind, what comes first between those,
// no more than 10 000 levels, and of the body as a whole json::kMaxTokens. Not checked
// there: the kinds of inner brackets, commas and colons behind the first value, numbers and
// literals, duplicate keys. Bytes other than blanks behind the body's object are refused (Go
// ignores them). Errors:
//   InvalidArgument     the bytes are not this protocol: broken JSON, a wrong type at a known
//                       key, a known key twice. The text names the path and what is expected there.
//   FailedPrecondition  a call of the protocol that has no answer: no pod, no nodes given in either
//                       form, a node without a name, a node twice, two forms that disagree (they
//                       must name the same nodes, in any order), a bind call that lacks a field.
//   ResourceExhausted   no memory for the body.
// After an error the output holds nothing of use. Memory is bounded by a multiple of the body.
// Nothing throws. All functions are thread-safe; the structs are not shared.

namespace outrigger::wire {

using json::Body;
using json::kMaxMalformed;
using json::kPadding;
using json::MalformedValue;

/// A filter or prioritize call. Reuse one object for many calls: it keeps its memory.
struct ExtenderArgs {
  Pod pod;
  /// What every node is called, in the order in which they came: all that is known of them in
  /// names-only calls. Views into the body, `nodes` and `unescaped`.
  std::vector<std::string_view> names;
  /// Aligned with `names`, and empty in names-only calls.
  std::vector<Node> nodes;
  /// The bytes of each node exactly as they came; empty in names-only calls. Views into the body.
  std::vector<std::string_view> raw_nodes;
  bool has_full_nodes = false;  // Nodes was given
  bool has_node_names = false;  // NodeNames was given
  /// Each name lies in the body, between the quotes of its own string there.
  bool names_in_body = false;
  std::vector<MalformedValue> malformed;
  /// Names that came with escapes, joined.
  std::string unescaped;
};

absl::Status DecodeExtenderArgs(Body body, const Needs& needs, ExtenderArgs* args);
/// The same, but does not check for missing or duplicate names; the later lookup finds them.
absl::Status ReadExtenderArgs(Body body, const Needs& needs, ExtenderArgs* args);
/// FailedPrecondition if a node of a names-only call has no name, or one that came before.
absl::Status CheckNodeNames(const ExtenderArgs& args);

/// A bind call.
struct BindArgs {
  std::string pod_name;
  std::string pod_namespace;
  std::string pod_uid;
  std::string node;
};

absl::Status DecodeBindArgs(Body body, BindArgs* args);

/// A preempt call; victims come by UID from either form, of which exactly one must be set.
struct PreemptArgs {
  Pod pod;
  std::vector<NodeVictims> candidates;
  std::vector<MalformedValue> malformed;
};

absl::Status DecodePreemptArgs(Body body, const Needs& needs, PreemptArgs* args);

// Encoding. All append to `out` (reuse it), in the exact keys and types that Go reads.

/// Bytes of the request's body that belong into the answer, before the byte at `at` of its text.
struct Echo {
  size_t at = 0;
  std::string_view bytes;
};

/// Answers in the form (or both forms) that was asked. Surviving full nodes are echoed byte for
/// byte, and so are names that came without escapes in a names-only call: what is long becomes an
/// element of `echoes`, in ascending order, since at thousands of nodes a copy costs as much as all
/// the rest; everything goes into `out` if `echoes` is null. `verdicts` is aligned with
/// `args.names`; `reasons[i]`, aligned too, is the text of the failure maps for a node that does
/// not fit; one that is left out is in neither map.
void EncodeFilterResult(const ExtenderArgs& args, std::span<const Verdict::Kind> verdicts,
                        std::span<const std::string> reasons, std::string* out,
                        std::vector<Echo>* echoes = nullptr);
/// A filter call that has no answer: {"Error": error} with no nodes.
void EncodeFilterError(std::string_view error, std::string* out);

/// A bare array; `scores` (0..10) is aligned with `args.names`. Where all are 0 it is empty, which
/// means the same: kube-scheduler adds what it gets to the scores of its own
/// (pkg/scheduler/schedule_one.go, prioritizeNodes), and reads thousands of nodes for a long time.
void EncodeHostPriorityList(const ExtenderArgs& args, std::span<const int> scores,
                            std::string* out);

/// An empty `error` is success.
void EncodeBindResult(std::string_view error, std::string* out);

/// Never null for a node: the scheduler's client panics on that.
void EncodePreemptionResult(std::span<const NodeVictims> chosen, std::string* out);

}  // namespace outrigger::wire
