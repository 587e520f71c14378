#include "cluster/pod_record.h"

#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "cluster/packing.h"
#include "cluster/pod_archive.h"

// The content: namespace, name, node, UID and phase as texts; then what the pod requests, its
// labels, its annotations and its times, each with its size before it; then everything else, the
// rare fields at the end and only if there are any. After these, where has_states_ says so, the
// states of containers and their size in four bytes.

namespace outrigger::cluster {
namespace {

constexpr size_t kWord = sizeof(uint64_t);
// Of std::make_shared for arrays: the table of functions, two counts, the number of elements; and
// what the allocator puts before a block.
constexpr size_t kControlBlock = 32;
using StatesSize = uint32_t;

size_t WordsOf(size_t bytes) {
  return (bytes + kWord - 1) / kWord;
}

template <typename T>
void PackSized(const T& value, std::string* out) {
  std::string packed;
  PackArchive archive(&packed);
  archive(value);
  PackText(packed, out);
}

void PackRare(const Pod& pod, std::string* out) {
  std::string packed;
  PackArchive archive(&packed);
  RareFields(pod, archive);
  if (packed.find_first_not_of('\0') != std::string::npos) *out += packed;
}

// Appends nothing where there is nothing.
bool PackStates(const Pod& pod, std::string* out) {
  if (pod.status_reason.empty() && pod.container_states.empty()) return false;
  const size_t begin = out->size();
  PackArchive archive(out);
  StateFields(pod, archive);
  const auto size = static_cast<StatesSize>(out->size() - begin);
  out->append(reinterpret_cast<const char*>(&size), sizeof(size));
  return true;
}

void PackTimes(const Pod& pod, std::string* out) {
  std::string packed;
  PodTimes::Of(pod).Pack(&packed);
  PackText(packed, out);
}

std::string Packed(const Pod& pod) {
  std::string out;
  for (const std::string* text :
       {&pod.namespace_, &pod.name, &pod.node_name, &pod.uid, &pod.phase}) {
    PackText(*text, &out);
  }
  PackSized(PodRequestsOnNode(pod), &out);
  PackSized(pod.labels, &out);
  PackSized(pod.annotations, &out);
  PackTimes(pod, &out);
  PackArchive archive(&out);
  Fields(pod, archive);
  PackRare(pod, &out);
  return out;
}

constexpr uint64_t kSign = uint64_t{1} << 63U;

// 0 is for a time that is not known; else one more than the difference, with the sign as its lowest
// bit.
uint64_t Step(int64_t from, int64_t to) {
  if (to == 0) return 0;
  const uint64_t difference = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  const uint64_t folded = (difference & kSign) != 0 ? (~difference << 1U) | 1U : difference << 1U;
  return folded + 1;
}

int64_t Follow(int64_t from, uint64_t step) {
  const uint64_t folded = step - 1;
  const uint64_t difference = (folded & 1U) != 0 ? ~(folded >> 1U) : folded >> 1U;
  return static_cast<int64_t>(static_cast<uint64_t>(from) + difference);
}

}  // namespace

struct PodRecord::Head {
  int32_t priority = 0;
  bool is_terminal = false;
  bool is_assumed = false;
  bool has_required_anti_affinity = false;
  bool has_host_ports = false;
  bool has_scheduling_group = false;
  bool has_states = false;
};

// One block holds the counts of the shared pointer, the object and the texts after it.
PodPtr PodRecord::Make(const Head& head, std::string_view content,
                       std::string_view resource_version) {
  static_assert(alignof(PodRecord) <= kWord && std::is_trivially_destructible_v<PodRecord>);
  const size_t bytes = sizeof(PodRecord) + content.size() + resource_version.size();
  std::shared_ptr<uint64_t[]> block = std::make_shared<uint64_t[]>(WordsOf(bytes));
  auto* record = new (block.get()) PodRecord();
  record->content_size_ = static_cast<uint32_t>(content.size());
  record->resource_version_size_ = static_cast<uint32_t>(resource_version.size());
  record->priority_ = head.priority;
  record->is_terminal_ = head.is_terminal;
  record->is_assumed_ = head.is_assumed;
  record->has_required_anti_affinity_ = head.has_required_anti_affinity;
  record->has_host_ports_ = head.has_host_ports;
  record->has_scheduling_group_ = head.has_scheduling_group;
  record->has_states_ = head.has_states;
  char* const texts = reinterpret_cast<char*>(record + 1);
  content.copy(texts, content.size());
  resource_version.copy(texts + content.size(), resource_version.size());
  return PodPtr(std::move(block), record);
}

PodPtr PodRecord::Of(const Pod& pod) {
  std::string content = Packed(pod);
  const bool has_states = PackStates(pod, &content);
  const Head head = {.priority = pod.priority,
                     .is_terminal = pod.IsFinished(),
                     .has_required_anti_affinity = !pod.affinity.required_pod_anti.empty(),
                     .has_host_ports = !pod.host_ports.empty(),
                     .has_scheduling_group = !pod.scheduling_group.empty(),
                     .has_states = has_states};
  return Make(head, content, pod.resource_version);
}

PodPtr PodRecord::AssumedOn(std::string_view node) const {
  const char* const node_at = AfterTexts(2);
  const char* rest = node_at;
  UnpackText(&rest);
  std::string replaced(content(), node_at);
  PackText(node, &replaced);
  replaced.append(rest, content() + content_size_);
  const Head head = {.priority = priority_,
                     .is_terminal = is_terminal_,
                     .is_assumed = true,
                     .has_required_anti_affinity = has_required_anti_affinity_,
                     .has_host_ports = has_host_ports_,
                     .has_scheduling_group = has_scheduling_group_,
                     .has_states = has_states_};
  return Make(head, replaced, resource_version());
}

const char* PodRecord::AfterTexts(int count) const {
  const char* at = content();
  for (; count > 0; --count) UnpackText(&at);
  return at;
}

PodKey PodRecord::key() const {
  const char* at = content();
  const std::string_view namespace_ = UnpackText(&at);
  return {namespace_, UnpackText(&at)};
}

std::string_view PodRecord::node_name() const {
  const char* at = AfterTexts(2);
  return UnpackText(&at);
}

std::string_view PodRecord::uid() const {
  const char* at = AfterTexts(3);
  return UnpackText(&at);
}

std::string_view PodRecord::phase() const {
  const char* at = AfterTexts(4);
  return UnpackText(&at);
}

std::string_view PodRecord::resource_version() const {
  return {content() + content_size_, resource_version_size_};
}

std::string_view PodRecord::PackedRequests() const {
  const char* at = AfterTexts(5);
  return UnpackText(&at);
}

void PodRecord::ForEachRequest(
    absl::FunctionRef<void(std::string_view name, const Quantity& quantity)> visit) const {
  const char* at = PackedRequests().data();
  for (uint64_t left = UnpackNumber(&at); left > 0; --left) {
    const std::string_view name = UnpackText(&at);
    visit(name, QuantityCodec::Unpack(&at));
  }
}

std::string_view PodRecord::Lookup(const char* map, std::string_view key) {
  const char* at = UnpackText(&map).data();
  for (uint64_t left = UnpackNumber(&at); left > 0; --left) {
    const std::string_view found = UnpackText(&at);
    const std::string_view value = UnpackText(&at);
    if (found == key) return value;
  }
  return {};
}

std::string_view PodRecord::Label(std::string_view key) const {
  return Lookup(AfterTexts(6), key);
}

std::string_view PodRecord::Annotation(std::string_view key) const {
  return Lookup(AfterTexts(7), key);
}

std::string_view PodRecord::PackedTimes() const {
  const char* at = AfterTexts(8);
  return UnpackText(&at);
}

std::string_view PodRecord::PackedStates() const {
  if (!has_states_) return {};
  StatesSize size = 0;
  const char* const end = content() + content_size_ - sizeof(size);
  std::memcpy(&size, end, sizeof(size));
  return {end - size, size};
}

std::string_view PodRecord::Stem() const {
  const size_t after = has_states_ ? PackedStates().size() + sizeof(StatesSize) : 0;
  return {content(), content_size_ - after};
}

std::string_view PodRecord::status_reason() const {
  if (!has_states_) return {};
  const char* at = PackedStates().data();
  return UnpackText(&at);
}

void PodRecord::ForEachContainerState(
    absl::FunctionRef<void(const ContainerState& state)> visit) const {
  if (!has_states_) return;
  const char* at = PackedStates().data();
  UnpackText(&at);  // the reason
  uint64_t left = UnpackNumber(&at);
  for (UnpackArchive archive(at); left > 0; --left) {
    ContainerState state;
    archive(state);
    visit(state);
  }
}

Pod PodRecord::Unpack() const {
  Pod pod;
  UnpackArchive texts(content());
  texts(pod.namespace_, pod.name, pod.node_name, pod.uid, pod.phase);
  const char* at = texts.at();
  UnpackText(&at);  // the requests are computed
  for (StringMap* map : {&pod.labels, &pod.annotations}) {
    UnpackArchive archive(UnpackText(&at).data());
    archive(*map);
  }
  PodTimes::Unpack(UnpackText(&at)).SetIn(&pod);
  UnpackArchive archive(at);
  Fields(pod, archive);
  const std::string_view stem = Stem();
  if (archive.at() != stem.data() + stem.size()) RareFields(pod, archive);
  if (has_states_) {
    UnpackArchive states(PackedStates().data());
    StateFields(pod, states);
  }
  pod.priority = priority_;
  pod.resource_version = resource_version();
  return pod;
}

bool PodRecord::SameContent(const PodRecord& other) const {
  return content_size_ == other.content_size_ && priority_ == other.priority_ &&
         is_assumed_ == other.is_assumed_ &&
         std::memcmp(content(), other.content(), content_size_) == 0;
}

bool PodRecord::SameButStates(const PodRecord& other) const {
  if (priority_ != other.priority_ || is_assumed_ != other.is_assumed_) return false;
  const PodTimes mine = times();
  const PodTimes theirs = other.times();
  if (mine.creation != theirs.creation || mine.scheduled != theirs.scheduled) return false;
  // Before and after the times.
  const auto halves = [](const PodRecord& record) {
    const std::string_view times = record.PackedTimes();
    const std::string_view stem = record.Stem();
    const auto before = static_cast<size_t>(record.AfterTexts(8) - stem.data());
    const auto after = static_cast<size_t>(times.data() + times.size() - stem.data());
    return std::pair{stem.substr(0, before), stem.substr(after)};
  };
  return halves(*this) == halves(other);
}

bool PodRecord::SameRequests(const PodRecord& other) const {
  return PackedRequests() == other.PackedRequests();
}

size_t PodRecord::bytes() const {
  const size_t bytes = sizeof(PodRecord) + content_size_ + resource_version_size_;
  return kControlBlock + WordsOf(bytes) * kWord;
}

PodTimes PodTimes::Of(const Pod& pod) {
  return {pod.creation_time, pod.scheduled_time, pod.start_time, pod.end_time};
}

void PodTimes::SetIn(Pod* pod) const {
  pod->creation_time = creation;
  pod->scheduled_time = scheduled;
  pod->start_time = start;
  pod->end_time = end;
}

void PodTimes::Pack(std::string* out) const {
  std::array<uint64_t, 4> steps = {};
  size_t used = 0;
  int64_t before = 0;
  size_t i = 0;
  for (const int64_t time : {creation, scheduled, start, end}) {
    steps[i++] = Step(before, time);
    if (time == 0) continue;
    before = time;
    used = i;
  }
  for (i = 0; i < used; ++i) PackNumber(steps[i], out);
}

PodTimes PodTimes::Unpack(std::string_view packed) {
  PodTimes times;
  const char* at = packed.data();
  int64_t before = 0;
  for (int64_t* time : {&times.creation, &times.scheduled, &times.start, &times.end}) {
    if (at == packed.data() + packed.size()) break;
    const uint64_t step = UnpackNumber(&at);
    if (step == 0) continue;
    before = *time = Follow(before, step);
  }
  return times;
}

}  // namespace outrigger::cluster
