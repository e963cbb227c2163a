// The page as text: whole, and safe whatever names say. tests/report/page_test.mjs opens it.
#include "pegasos/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace pegasos {
namespace {

Report with_name(const std::string& name) {
  Report report;
  report.title = name;
  ReportRun run;
  run.name = name;
  run.facts = {{name, name}};
  run.features = {{name, {{name, 1.5}}}};
  report.runs.push_back(run);
  return report;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Report, IsWholeAndLoadsNothing) {
  const std::string page = report_page(with_name("a9a"));
  EXPECT_EQ(page.find("<!doctype html>"), 0u);
  EXPECT_EQ(occurrences(page, "<script"), 2u);
  EXPECT_EQ(occurrences(page, " src="), 0u);
  EXPECT_EQ(occurrences(page, "<link"), 0u);
  EXPECT_EQ(page.find("@DATA@"), std::string::npos);
  EXPECT_EQ(page.find("@STYLE@"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_LT(page.size(), 100'000u);
}

TEST(Report, NamesCannotLeaveTheirPlace) {
  for (const std::string name :
       {"</script><script>alert(1)</script>", "@SCRIPT@ @STYLE@", "<!--", "\"quoted\" & \\"}) {
    const std::string page = report_page(with_name(name));
    EXPECT_EQ(occurrences(page, "<script"), 2u) << name;
    EXPECT_EQ(occurrences(page, "</script>"), 2u) << name;
    EXPECT_EQ(occurrences(page, "</style>"), 1u) << name;
  }
}

TEST(Report, BytesThatAreNotUtf8AndNumbersThatAreNoneDoNotBreakIt) {
  Report report = with_name("caf\xe9");
  report.runs[0].certificate_words = {"words"};
  report.runs[0].certificate = Certificate{.primal = NAN};
  report.runs[0].trace = {{.seconds = 1, .objective = INFINITY}};
  const std::string page = report_page(report);
  EXPECT_NE(page.find("\"objective\":null"), std::string::npos);
  EXPECT_EQ(page.find("nan"), page.find("nan_is_nowhere"));
}

}  // namespace
}  // namespace pegasos
