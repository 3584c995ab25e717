# SPDX-License-Identifier: BSL-1.0
# nvcc refuses a plan that does not fit with one error line that has the facts and none of our internals.
execute_process(COMMAND "${NVCC}" -std=c++20 -ccbin "${HOST}" -x cu "-I${INCLUDE}" -c "${CASE}" -o "${OBJECT}"
  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
string(REGEX MATCHALL "error:[^\n]*" errors "${text}")
list(LENGTH errors count)
if(code EQUAL 0 OR NOT count EQUAL 1 OR NOT errors MATCHES "plan_rejected<.*does_not_fit<.*needs<.*try_<" OR errors MATCHES "detail::")
  message(FATAL_ERROR "wanted one error line with plan_rejected and its facts, got:\n${text}")
endif()
