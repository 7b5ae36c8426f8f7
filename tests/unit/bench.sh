#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The bench's arithmetic; the cases are in bench/bench_test.c.

set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$root/build}
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
exec "$BUILD/bench/bench_test"
