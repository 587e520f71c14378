#include "codec/json/pod_group_reader.h"

#include <string>

#include "codec/json/parser.h"
#include "codec/json/reader.h"
#include "sdk/base/dialects.h"

namespace outrigger::json {
namespace {

absl::Status ReadMetadata(Value value, const Path& at, GroupParts parts, PodGroup* group) {
  const auto created = [group](Value time, const Path& place) {
    return ReadTime(time, place, &group->created);
  };
  return ReadObject(value, at, Field{"name", &group->name}, Field{"namespace", &group->namespace_},
                    Field{"uid", &group->uid}, Field{"creationTimestamp", created},
                    Field{"labels", &group->labels}, Field{"annotations", &group->annotations},
                    Field{"resourceVersion", &group->resource_version, parts == GroupParts::kAll});
}

// As for other maps a null is zero, and the last of equal keys wins.
absl::Status ReadMinimums(Value value, const Path& at, PodGroup* group) {
  return ForEachField(value, at, [&](std::string_view role, Value item) {
    int64_t& minimum = group->min_task_member[std::string(role)];
    minimum = 0;
    return ReadField(item, at.Key(role), &minimum);
  });
}

absl::Status ReadPolicy(Value value, const Path& at, PodGroup* group) {
  const auto gang = [group](Value object, const Path& place) {
    return ReadObject(object, place, Field{"minCount", &group->min_member});
  };
  const auto basic = [group](Value object, const Path& place) {
    group->independent = true;
    return SkipValue(object, place);
  };
  return ReadObject(value, at, Field{"gang", gang}, Field{"basic", basic});
}

absl::Status ReadSpec(Value value, const Path& at, PodGroup* group) {
  const bool upstream = group->dialect == Dialect::kUpstream;
  const DialectRow& row = RowOf(group->dialect);
  const auto minimums = [group](Value map, const Path& place) {
    return ReadMinimums(map, place, group);
  };
  const auto policy = [group](Value object, const Path& place) {
    return ReadPolicy(object, place, group);
  };
  return ReadObject(value, at, Field{"minMember", &group->min_member, !upstream},
                    Field{"minTaskMember", minimums, !row.role_key.empty()},
                    Field{"schedulingPolicy", policy, upstream},
                    Field{"minResources", &group->min_resources},
                    Field{"scheduleTimeoutSeconds", &group->schedule_timeout_seconds},
                    Field{"priorityClassName", &group->priority_class_name},
                    Field{"queue", &group->queue, row.has_queue});
}

}  // namespace

absl::Status ReadPodGroup(Object object, const Path& at, Dialect dialect, GroupParts parts,
                          PodGroup* group) {
  *group = PodGroup();
  group->dialect = dialect;
  const auto metadata = [group, parts](Value part, const Path& place) {
    return ReadMetadata(part, place, parts, group);
  };
  const auto spec = [group](Value part, const Path& place) { return ReadSpec(part, place, group); };
  const auto phase = [group](Value part, const Path& place) {
    return ReadObject(part, place, Field{"phase", &group->phase});
  };
  absl::Status status = ReadObject(object, at, Field{"metadata", metadata}, Field{"spec", spec},
                                   Field{"status", phase, parts == GroupParts::kAll});
  if (status.ok() && group->name.empty())
    return Invalid(at.Key("metadata").Key("name"), "is empty");
  return status;
}

absl::StatusOr<PodGroup> ReadPodGroup(Dialect dialect, std::string_view json) {
  std::string padded(json);
  padded.append(kPadding, ' ');
  const ParserLease parser;
  Object root;
  absl::Status status = parser->Open({padded.data(), json.size()}, &root);
  if (!status.ok()) return status;
  PodGroup group;
  status = ReadPodGroup(root, Path("PodGroup"), dialect, GroupParts::kAll, &group);
  if (status.ok()) status = parser->Close();
  if (!status.ok()) return status;
  return group;
}

}  // namespace outrigger::json
