# SPDX-License-Identifier: BSL-1.0
# The table between `<!-- symptoms -->` and `<!-- end -->` of a page is what the code says: cmake -DPROGRAM=... -DPAGE=... -P symptoms.cmake;
# with -DMODE=write it is written anew.
include("${TOOLCHAIN}")

execute_process(COMMAND "${PROGRAM}" table OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
file(READ "${PAGE}" page)
string(FIND "${page}" "<!-- symptoms -->\n" from)
string(FIND "${page}" "<!-- end -->" to)
if(from EQUAL -1 OR to EQUAL -1)
  message(FATAL_ERROR "${PAGE}: no table between <!-- symptoms --> and <!-- end -->")
endif()
string(SUBSTRING "${page}" 0 ${from} before)
string(SUBSTRING "${page}" ${to} -1 after)
set(wanted "${before}<!-- symptoms -->\n${table}${after}")
if("${MODE}" STREQUAL "write")
  file(WRITE "${PAGE}" "${wanted}")
elseif(NOT wanted STREQUAL page)
  message(FATAL_ERROR "${PAGE}: the table of symptoms is not that of doctor/cause.hpp: build docs_symptoms")
endif()
