// SPDX-License-Identifier: BSL-1.0
// The device catalog against devices.json, figure by figure.
#include "../runtime/catch.hpp"
#include "device_names.hpp"
#include "shared_files.hpp"

#include <shardplan/hardware/catalog.hpp>

#include <cstdint>
#include <string>

TEST_CASE("catalog devices have the figures of devices.json") {
  const auto file = truth::read("devices.json");
  if (!file) return;
  std::size_t compared = 0;
  for (const auto& element : file->get_child("devices")) {
    const truth::json& row = element.second;
    const std::string id = row.get<std::string>("id");
    INFO(id);
    const shardplan::device_spec* const found = truth::named_device(id);
    REQUIRE(found != nullptr);
    ++compared;
    const shardplan::device_spec& spec = *found;

    // The row of an MI250X is the package, the system sees each of its two dies as a device.
    const std::int64_t dies = id == "MI250X" ? 2 : 1;
    const auto figure = [&row](const char* key, int digits) { return truth::scaled(row.get<std::string>(key), digits); };

    // Driver, else framework, else nameplate.
    if (row.get_child("memory_reported_by_driver").count("bytes") != 0) {
      CHECK(spec.capacity_source == shardplan::capacity_source::driver);
      CHECK(spec.memory.count == row.get<std::int64_t>("memory_reported_by_driver.bytes"));
      CHECK(spec.memory.count == row.get<std::int64_t>("memory_reported_by_driver.MiB") * 1'048'576);
    } else if (!truth::is_null(row, "memory_total_seen_by_framework_GiB")) {
      CHECK(spec.capacity_source == shardplan::capacity_source::framework);
      CHECK(spec.memory.count == figure("memory_total_seen_by_framework_GiB", 2) * 1'073'741'824 / 100);
    } else {
      CHECK(spec.capacity_source == shardplan::capacity_source::nameplate);
      CHECK(dies * spec.memory.count == figure("hbm_nameplate_GB", 9));
    }

    CHECK(dies * spec.bf16_flops == figure("bf16_dense_tflops", 12));
    CHECK(dies * spec.fp8_flops == figure("fp8_dense_tflops", 12));
    CHECK(dies * spec.memory_bandwidth == figure("hbm_GBps", 9));
    CHECK(dies * spec.fabric.bytes_per_second == figure("fabric_unidirectional_GBps_per_device", 9));
    CHECK(spec.fabric_domain == row.get<std::int64_t>("usual_fabric_domain_devices"));
    CHECK(dies * spec.host.bytes_per_second == figure("pcie_unidirectional_GBps", 9));
    CHECK(dies * spec.network.bytes_per_second == figure("usual_nic_GBps_per_device", 9));

    CHECK(row.get<std::string>("fabric").rfind(spec.fabric.name.c_str(), 0) == 0);
    CHECK(spec.host.name.c_str() == "PCIe " + row.get<std::string>("pcie_gen"));
    CHECK(spec.network.name != shardplan::literal{});
    CHECK(spec.name != shardplan::literal{});
  }
  CHECK(compared == sizeof truth::device_catalog / sizeof truth::device_catalog[0]);
  CHECK(compared == 26);
}

TEST_CASE("a device is found by the start of its name where that leaves no choice of memory") {
  CHECK(truth::named_device("A100-40GB") == truth::named_device("A100-40GB-SXM4"));
  CHECK(truth::named_device("A100-80GB") == truth::named_device("A100-80GB-SXM4"));
  CHECK(truth::named_device("B200") == truth::named_device("B200-SXM"));
  CHECK(truth::named_device("A100") == nullptr);
  CHECK(truth::named_device("") == nullptr);
  CHECK(truth::named_device("4090-24GB") == nullptr);
}
