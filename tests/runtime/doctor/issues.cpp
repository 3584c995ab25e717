// SPDX-License-Identifier: BSL-1.0
// Public issues: the cause that each turned out to have is supported by the evidence of its plan, or, of a fix, excluded.
#include "../catch.hpp"
#include "issue_cases.hpp"

#include <shardplan/doctor/diagnose.hpp>

namespace sp = shardplan;

TEST_CASE("doctor: public issues have the cause that they turned out to have") {
  int count = 0;
  for (const doctor::issue_case& item : doctor::issue_cases()) {
    const sp::evidence found = sp::evidence_of(item.spec, item.which, item.run);
    INFO(item.ref << ' ' << sp::name_of(item.which) << " figure " << found.figure << " limit " << found.limit);
    CHECK(found.says == item.wanted);
    // Under each of its symptoms, among the supported ones.
    for (int seen = 0; seen < sp::symptom_count; ++seen) {
      if (!sp::explains(item.which, static_cast<sp::symptom>(seen))) continue;
      for (const sp::finding& one : sp::diagnosis_of(item.spec, static_cast<sp::symptom>(seen), item.run))
        if (one.which == item.which) {
          CHECK(one.now == found);
          CHECK((one.help == sp::help_kind::nothing) == (item.wanted == sp::standing::excluded));
        }
    }
    ++count;
  }
  CHECK(count == 57);
}
