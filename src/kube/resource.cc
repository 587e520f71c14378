#include "kube/resource.h"

#include "sdk/base/url.h"

namespace outrigger::kube {

std::string NameOf(const Resource& resource) {
  std::string name(resource.plural);
  if (!resource.group.empty()) name.append(".").append(resource.group);
  return name;
}

std::string ApiVersionOf(const Resource& resource) {
  std::string version(resource.version);
  return resource.group.empty() ? version : std::string(resource.group) + "/" + version;
}

std::string PathOf(const Resource& resource, std::string_view namespace_, std::string_view name,
                   std::string_view subresource) {
  std::string path = resource.group.empty() ? "/api" : "/apis/" + Escape(resource.group);
  path += '/';
  path += Escape(resource.version);
  if (resource.namespaced && !namespace_.empty()) {
    path += "/namespaces/";
    path += Escape(namespace_);
  }
  path += '/';
  path += Escape(resource.plural);
  for (const std::string_view part : {name, subresource}) {
    if (part.empty()) continue;
    path += '/';
    path += Escape(part);
  }
  return path;
}

}  // namespace outrigger::kube
