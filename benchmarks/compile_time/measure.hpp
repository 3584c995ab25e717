// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace benchmark {

/// What one run of a compiler took, its child processes included.
struct sample {
  double cpu_ms = 0;   ///< user and system time: other jobs of the machine move it least
  double wall_ms = 0;  ///< from start to end
  double peak_mb = 0;  ///< largest resident set, 10^6 bytes
};

/// A compiler that was found.
struct compiler {
  std::string command;
  std::string version;  ///< first line of `--version`
  bool is_clang = false;
};

/// The folders that a file is compiled with.
struct include_folders {
  std::string shardplan;
  std::vector<std::string> boost;
};

/// A new folder for files, removed with all of them at the end.
class temporary_folder {
public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  /// `name` in it.
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
  std::filesystem::path path_;
};

/// Asks a command for its version; nothing when it cannot be run.
std::optional<compiler> find_compiler(const std::string& command, const temporary_folder& folder);

/// The newest Clang that is installed.
std::optional<compiler> newest_clang(const temporary_folder& folder);

/// Compiles with `-fsyntax-only` and measures it. Throws `std::runtime_error` with the compiler's words when it refuses the file.
sample measure(const compiler& with, const std::filesystem::path& source, const include_folders& folders, const temporary_folder& folder);

/// Whether the compiler takes the file when a constant may cost no more than so many of its steps (Clang, `-fconstexpr-steps`) or ops (GCC,
/// `-fconstexpr-ops-limit`).
bool stays_within(const compiler& with, const std::filesystem::path& source, const include_folders& folders, const temporary_folder& folder,
                  long most);

/// Templates that the compiler instantiates, the same number in every run. Clang: classes and functions in its time trace. GCC: entries of
/// its two tables of specializations. The two cannot be compared with each other. Nothing when the compiler does not say.
std::optional<long> count_instantiations(const compiler& with, const std::filesystem::path& source, const include_folders& folders,
                                         const temporary_folder& folder);

}  // namespace benchmark
