#include "serve/server/admin_service.h"

#include "raw_http.h"

namespace outrigger::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawHttp;

class AdminServiceTest : public ::testing::Test {
 protected:
  AdminServiceTest() {
    AdminOptions options;
    options.checks = [this] { return checks_; };
    auto service = AdminService::Start(options, *metrics_);
    EXPECT_TRUE(service.ok()) << service.status();
    if (service.ok()) service_ = *std::move(service);
  }
  testing::HttpAnswer Get(std::string_view path) {
    RawHttp http(service_->port());
    return http.Call("GET", path).value_or(testing::HttpAnswer());
  }

  std::vector<Check> checks_;
  const std::unique_ptr<Metrics> metrics_ = Metrics::Create();
  std::unique_ptr<AdminService> service_;
};

TEST_F(AdminServiceTest, IsReadyFromItsStartToItsDrain) {
  EXPECT_EQ(Get("/livez").status, 200);
  EXPECT_EQ(Get("/readyz").status, 503);
  service_->SetReady();
  EXPECT_EQ(Get("/readyz").status, 200);
  service_->SetDraining();
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/livez").status, 200);
}

TEST_F(AdminServiceTest, AFailedCheckIsOnThePage) {
  service_->SetReady();
  checks_ = {{"cluster", ""}, {"values", "no right to write"}};
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_THAT(Get("/readyz?verbose").body, HasSubstr("[-]values failed: no right to write"));
}

TEST_F(AdminServiceTest, HasNoPagesOfAgents) {
  EXPECT_EQ(Get("/queue").status, 404);
  EXPECT_EQ(Get("/version").status, 200);
}

TEST_F(AdminServiceTest, ShowsFamiliesUntilTheyAreTakenBack) {
  metrics_->Show([] {
    return std::vector<ShownFamily>{
        {.name = "outrigger_tries_total",
         .help = "Tries.",
         .is_counter = true,
         .series = {{.labels = {{"node", "a\"b"}, {"cause", "x"}}, .value = 3}}},
        {.name = "outrigger_left", .help = "What is left.", .is_counter = false, .series = {}}};
  });
  const std::string page = Get("/metrics").body;
  EXPECT_THAT(page, HasSubstr("# HELP outrigger_tries_total Tries.\n"
                              "# TYPE outrigger_tries_total counter\n"));
  EXPECT_THAT(page, HasSubstr("cause=\"x\""));
  EXPECT_THAT(page, HasSubstr("node=\"a\\\"b\""));
  EXPECT_THAT(page, HasSubstr("# TYPE outrigger_left gauge\n"));
  EXPECT_THAT(page, HasSubstr("listener=\"admin\""));
  metrics_->Show(nullptr);
  EXPECT_THAT(Get("/metrics").body, Not(HasSubstr("outrigger_tries_total")));
}

TEST_F(AdminServiceTest, ATakenPortIsAnErrorThatNamesTheListener) {
  AdminOptions options;
  options.port = service_->port();
  const auto second = AdminService::Start(options, *metrics_);
  EXPECT_TRUE(absl::IsAlreadyExists(second.status())) << second.status();
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("admin: "));
}

}  // namespace
}  // namespace outrigger::server
