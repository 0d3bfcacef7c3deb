# SPDX-License-Identifier: Apache-2.0
# Builds the checkout that contains this file: conan create packaging/conan --build=missing
# The C client comes from the system. docent needs the single-threaded client, and conan-center's zookeeper-client-c is the
# multi-threaded client.
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.0"


class DocentConan(ConanFile):
    name = "docent"
    description = "ZooKeeper client and Apache Curator's lock recipes for C++20"
    license = "Apache-2.0"
    topics = ("zookeeper", "curator", "lock", "leader-election")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "command": [True, False], "logging": [True, False],
               "prometheus": [True, False]}
    default_options = {"shared": False, "fPIC": True, "command": False, "logging": False, "prometheus": False,
                       "boost/*:without_json": False}

    def _checkout(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        text = load(self, os.path.join(self._checkout(), "CMakeLists.txt"))
        self.version = re.search(r"project\(docent VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "CHANGELOG.md", "cmake/*", "include/*", "src/*", "recipes/*"):
            copy(self, pattern, self._checkout(), self.export_sources_folder)

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("boost/[>=1.81.0 <1.93]", transitive_headers=True, transitive_libs=True)
        self.requires("openssl/[>=3 <4]")
        self.requires("zlib/[>=1.2.11 <2]")
        if self.options.logging:
            self.requires("spdlog/[>=1.10 <2]", transitive_headers=True, transitive_libs=True)
        if self.options.prometheus:
            self.requires("prometheus-cpp/[>=1.0 <2]", transitive_headers=True, transitive_libs=True)
        if self.options.command:
            self.requires("cli11/[>=2.1 <3]")

    def system_requirements(self):
        Apt(self).install(["libzookeeper-st-dev"] + (["libncurses-dev"] if self.options.command else []), check=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["DOCENT_BUILD_COMMAND"] = bool(self.options.command)
        toolchain.cache_variables["DOCENT_BUILD_LOGGING"] = bool(self.options.logging)
        toolchain.cache_variables["DOCENT_BUILD_PROMETHEUS"] = bool(self.options.prometheus)
        for what in ("TESTS", "BENCHMARKS", "EXAMPLES"):
            toolchain.cache_variables[f"DOCENT_BUILD_{what}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "docent")
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "docent::docent")
        core.set_property("cmake_target_aliases", ["docent::client", "docent::recipes"])
        core.set_property("pkg_config_name", "docent")
        core.libs = ["docent"]
        core.requires = ["boost::thread", "boost::headers", "openssl::ssl", "zlib::zlib"]
        core.system_libs = ["pthread", "zookeeper_st"]
        testing = self.cpp_info.components["testing"]
        testing.set_property("cmake_target_name", "docent::testing")
        testing.set_property("pkg_config_name", "docent-testing")
        testing.libs = ["docent_testing"]
        testing.requires = ["core", "boost::headers", "openssl::ssl", "openssl::crypto"]
        testing.system_libs = ["pthread"]
        if self.options.logging:
            logging = self.cpp_info.components["logging"]
            logging.set_property("cmake_target_name", "docent::logging")
            logging.set_property("pkg_config_name", "docent-logging")
            logging.libs = ["docent_logging"]
            logging.requires = ["core", "spdlog::spdlog"]
        if self.options.prometheus:
            prometheus = self.cpp_info.components["prometheus"]
            prometheus.set_property("cmake_target_name", "docent::prometheus")
            prometheus.set_property("pkg_config_name", "docent-prometheus")
            prometheus.libs = ["docent_prometheus"]
            prometheus.requires = ["core", "prometheus-cpp::prometheus-cpp-core"]
        if self.options.command: # nothing links to the command
            self.cpp_info.components["command"].requires = ["cli11::cli11", "boost::json"]
