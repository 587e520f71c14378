#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/stream/list_page.h"
#include "kube/stream/protobuf_list_splitter.h"

namespace outrigger::kube {

/// ListPageReader for a page in protobuf; the same contract.
class ProtobufListPageReader {
 public:
  absl::Status Feed(std::string_view bytes, OnListItem on_item);
  absl::StatusOr<ListPage> Finish();

 private:
  absl::Status TakeItem(std::string_view item, OnListItem on_item);
  absl::Status TakeMetadata(std::string_view metadata);

  ProtobufListSplitter splitter_;
  ListPage page_;
  ObjectHead head_;
};

}  // namespace outrigger::kube
