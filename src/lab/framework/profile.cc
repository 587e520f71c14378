#include "lab/framework/profile.h"

namespace outrigger::lab {
namespace {

using EventsByPlugin = std::map<std::string, std::vector<ClusterEvent>, std::less<>>;

template <typename Plugins>
void AddEventsOf(const Plugins& plugins, EventsByPlugin* events) {
  for (const auto& plugin : plugins) {
    (*events)[std::string(plugin->Name())] = plugin->EventsToRegister();
  }
}

}  // namespace

EventsByPlugin RegisteredEvents(const Profile& profile) {
  EventsByPlugin events;
  AddEventsOf(profile.pre_filter, &events);
  AddEventsOf(profile.filter, &events);
  AddEventsOf(profile.pre_score, &events);
  AddEventsOf(profile.score, &events);
  AddEventsOf(profile.reserve, &events);
  AddEventsOf(profile.permit, &events);
  AddEventsOf(profile.pre_bind, &events);
  AddEventsOf(profile.bind, &events);
  return events;
}

}  // namespace outrigger::lab
