// SPDX-License-Identifier: BSL-1.0
#include "measure.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace benchmark {

namespace {

/// How a command ended, and what it took.
struct finished {
  bool succeeded = false;
  sample used{};
};

double milliseconds(const timeval& time) { return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec); }

std::string contents_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Runs a command to its end; what it prints goes to the file `output`.
finished run(const std::vector<std::string>& command, const std::filesystem::path& output) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0) _exit(126);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) throw std::runtime_error("wait4 failed");
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;

#if defined(__APPLE__)
  constexpr double unit_of_maxrss = 1;
#else
  constexpr double unit_of_maxrss = 1024;
#endif
  const bool succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return {succeeded,
          {milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime), wall.count(),
           static_cast<double>(usage.ru_maxrss) * unit_of_maxrss / 1e6}};
}

/// The command line for `source`, with `more` flags.
std::vector<std::string> command_line(const compiler& with, const std::filesystem::path& source, const include_folders& folders,
                                      const std::vector<std::string>& more) {
  std::vector<std::string> command{with.command, "-std=c++20", "-I" + folders.shardplan};
  for (const std::string& boost : folders.boost) command.insert(command.end(), {"-isystem", boost});
  command.insert(command.end(), more.begin(), more.end());
  command.push_back(source.string());
  return command;
}

/// Runs the compiler and throws when it refuses the file.
sample compile(const std::vector<std::string>& command, const std::filesystem::path& output) {
  const finished result = run(command, output);
  if (!result.succeeded) throw std::runtime_error(command.front() + " refused " + command.back() + ":\n" + contents_of(output));
  return result.used;
}

/// How often `word` stands in `text`.
long occurrences(const std::string& text, const std::string& word) {
  long count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

/// The number of entries in a line of GCC's statistics: "decl_specializations: size 1021, 560 elements, ...".
std::optional<long> entries_of(const std::string& statistics, const std::string& table) {
  const std::size_t line = statistics.find(table + ": size ");
  if (line == std::string::npos) return std::nullopt;
  const std::size_t comma = statistics.find(", ", line);
  if (comma == std::string::npos) return std::nullopt;
  return std::strtol(statistics.c_str() + comma + 2, nullptr, 10);
}

}  // namespace

temporary_folder::temporary_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "shardplan_compile_time.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::optional<compiler> find_compiler(const std::string& command, const temporary_folder& folder) {
  const std::filesystem::path output = folder / "version.txt";
  if (!run({command, "--version"}, output).succeeded) return std::nullopt;
  const std::string text = contents_of(output);
  const std::string version = text.substr(0, text.find('\n'));
  return compiler{command, version, version.find("clang") != std::string::npos};
}

std::optional<compiler> newest_clang(const temporary_folder& folder) {
  constexpr int newest = 30;
  constexpr int oldest = 14;
  for (int version = newest; version >= oldest; --version)
    if (auto found = find_compiler("clang++-" + std::to_string(version), folder)) return found;
  return find_compiler("clang++", folder);
}

sample measure(const compiler& with, const std::filesystem::path& source, const include_folders& folders, const temporary_folder& folder) {
  return compile(command_line(with, source, folders, {"-fsyntax-only"}), folder / "messages.txt");
}

bool stays_within(const compiler& with, const std::filesystem::path& source, const include_folders& folders, const temporary_folder& folder,
                  long most) {
  const std::string limit = (with.is_clang ? "-fconstexpr-steps=" : "-fconstexpr-ops-limit=") + std::to_string(most);
  return run(command_line(with, source, folders, {"-fsyntax-only", limit}), folder / "messages.txt").succeeded;
}

std::optional<long> count_instantiations(const compiler& with, const std::filesystem::path& source, const include_folders& folders,
                                         const temporary_folder& folder) {
  const std::filesystem::path messages = folder / "messages.txt";
  if (!with.is_clang) {
    compile(command_line(with, source, folders, {"-fsyntax-only", "-fstats"}), messages);
    const std::string statistics = contents_of(messages);
    const auto functions = entries_of(statistics, "decl_specializations");
    const auto types = entries_of(statistics, "type_specializations");
    return functions && types ? std::optional(*functions + *types) : std::nullopt;
  }
  // With -fsyntax-only Clang writes no trace; it stands beside the object file.
  const std::filesystem::path object = folder / "trace.o";
  compile(command_line(with, source, folders, {"-c", "-ftime-trace", "-ftime-trace-granularity=0", "-o", object.string()}), messages);
  const std::string trace = contents_of(folder / "trace.json");
  return occurrences(trace, "\"name\":\"InstantiateClass\"") + occurrences(trace, "\"name\":\"InstantiateFunction\"");
}

}  // namespace benchmark
