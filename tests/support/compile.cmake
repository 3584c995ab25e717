# SPDX-License-Identifier: BSL-1.0
# For scripts that call the compiler and read what it says.
include("${TOOLCHAIN}")

# One language and no colours, so that patterns match everywhere.
set(ENV{LC_ALL} C)

if(compiler_id STREQUAL "GNU")
  set(family gcc)
  set(no_source_echo -fno-diagnostics-show-caret)
else()
  set(family clang)
  set(no_source_echo -fno-caret-diagnostics)
endif()

# syntax_check(<file> [<flag>...]): sets exit_code and output. The source is not echoed, or a pattern could match our own text.
function(syntax_check file)
  execute_process(
    COMMAND "${compiler}" ${syntax_flags} ${warning_flags} ${no_source_echo} ${ARGN} -fsyntax-only "${file}"
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(exit_code "${code}" PARENT_SCOPE)
  set(output "${text}" PARENT_SCOPE)
endfunction()

# split_lines(<list> <text>): a CMake list breaks at semicolons and not inside brackets, so these are stored as control characters;
# plain_line() brings them back.
string(ASCII 1 code_1)
string(ASCII 2 code_2)
string(ASCII 3 code_3)
string(ASCII 4 code_4)
function(split_lines list text)
  string(REPLACE "[" "${code_1}" text "${text}")
  string(REPLACE "]" "${code_2}" text "${text}")
  string(REPLACE ";" "${code_3}" text "${text}")
  string(REPLACE "\\" "${code_4}" text "${text}")
  string(REPLACE "\n" ";" text "${text}")
  set(${list} "${text}" PARENT_SCOPE)
endfunction()
function(plain_line variable line)
  string(REPLACE "${code_1}" "[" line "${line}")
  string(REPLACE "${code_2}" "]" line "${line}")
  string(REPLACE "${code_3}" ";" line "${line}")
  string(REPLACE "${code_4}" "\\" line "${line}")
  set(${variable} "${line}" PARENT_SCOPE)
endfunction()

# error_lines(<text> <count> <output>): the lines that say "error:", paths written from the root of the project.
function(error_lines text count output)
  string(REPLACE "${source_dir}/" "" output_text "${output}")
  split_lines(lines "${output_text}")
  list(FILTER lines INCLUDE REGEX "error: ")
  list(LENGTH lines number)
  list(JOIN lines "\n" joined)
  plain_line(joined "${joined}")
  set(${text} "${joined}" PARENT_SCOPE)
  set(${count} ${number} PARENT_SCOPE)
endfunction()

# fail(<reason> [<details>]): details are printed first, because CMake wraps the lines of an error.
function(fail reason)
  message("${ARGN}")
  message(FATAL_ERROR "${reason}")
endfunction()
