#include "walk.h"

namespace outrigger::bench {

using simdjson::ondemand::array;
using simdjson::ondemand::object;

void Walker::Walk(simdjson::padded_string_view body) {
  names_.clear();
  slices_.clear();
  annotation_bytes_ = 0;
  simdjson::ondemand::document document = parser_.iterate(body);
  object arguments = document.get_object();
  object pod = arguments.find_field("Pod").get_object();
  pod_name_ = pod.find_field("metadata").find_field("name").get_string();

  simdjson::ondemand::value nodes = arguments.find_field("Nodes");
  if (!nodes.is_null()) {
    array items = nodes.find_field("items").get_array();
    for (object node : items) WalkNode(node);
    return;
  }
  array names = arguments.find_field("NodeNames").get_array();
  for (std::string_view name : names) names_.push_back(name);
}

void Walker::WalkNode(object node) {
  object metadata = node.find_field("metadata").get_object();
  names_.push_back(metadata.find_field("name").get_string());
  object annotations = metadata.find_field("annotations").get_object();
  for (auto field : annotations) {
    // Without unescaping: an agent unescapes the few that it wants.
    annotation_bytes_ += std::string_view(field.value().raw_json_token()).size();
  }
  slices_.push_back(node.raw_json());
}

}  // namespace outrigger::bench
