# SPDX-License-Identifier: BSL-1.0
# Compares the machine code of from_plan.cpp and from_literals.cpp: cmake -DTOOLCHAIN=... -DLEVEL=O0 -P compare.cmake
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../support/compile.cmake")

if(NOT objdump OR NOT nm)
  message(STATUS "SKIPPED: no objdump or nm")
  return()
endif()

set(work "${binary_dir}/zero_cost/${LEVEL}")
file(MAKE_DIRECTORY "${work}")
set(here "${CMAKE_CURRENT_LIST_DIR}")

function(compile)
  execute_process(COMMAND "${compiler}" ${syntax_flags} -${LEVEL} ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# disassemble(<variable> <object>): without the line that names the file
function(disassemble variable object)
  execute_process(COMMAND "${objdump}" -d --no-show-raw-insn "${object}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[^\n]*file format[^\n]*\n" "" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

compile("${here}/print_figures.cpp" -o "${work}/print_figures")
execute_process(COMMAND "${work}/print_figures" OUTPUT_VARIABLE figures COMMAND_ERROR_IS_FATAL ANY)

compile(-c "${here}/from_plan.cpp" -o "${work}/from_plan.o")
compile(-c ${figures} "${here}/from_literals.cpp" -o "${work}/from_literals.o")
disassemble(from_plan "${work}/from_plan.o")
disassemble(from_literals "${work}/from_literals.o")
if(NOT from_plan MATCHES "ret")
  fail("nothing was disassembled" "${from_plan}")
endif()
if(NOT from_plan STREQUAL from_literals)
  fail("the plan costs more than a literal" "the plan:\n${from_plan}\nthe literals (${figures}):\n${from_literals}")
endif()

execute_process(COMMAND "${nm}" "${work}/from_plan.o" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
# Without optimisation Clang keeps every constant that is named as data (V), though nothing reads it, of any library; code (T, W) would be a cost.
set(kind "")
if(LEVEL STREQUAL "O0" AND compiler_id MATCHES "Clang")
  set(kind " [TtWw] [^\n]*")
endif()
if(symbols MATCHES "${kind}shardplan")
  fail("the object file carries names of the library" "${symbols}")
endif()
