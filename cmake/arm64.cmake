# SPDX-License-Identifier: Apache-2.0
# Toolchain file that builds for ARM64 on a Debian of another architecture. Needs crossbuild-essential-arm64, qemu-user-static,
# and the libraries' packages for arm64. qemu runs the tests, and the command when it prints its man page and its completions.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
