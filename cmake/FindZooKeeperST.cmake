# SPDX-License-Identifier: Apache-2.0
# Finds the single-threaded ZooKeeper C client: target ZooKeeper::st.
#
# Debian's -dev packages of the single-threaded (st) and the multi-threaded (mt) library exclude each other but ship the same
# header. So the header may come from either package. The library may come from the runtime package alone, under its versioned
# name. vcpkg's port without its feature `sync` is the single-threaded library, too, with another target.
find_package(unofficial-zookeeper CONFIG QUIET)
if(TARGET unofficial::zookeeper::zookeeper AND NOT TARGET ZooKeeper::st)
    get_target_property(definitions unofficial::zookeeper::zookeeper INTERFACE_COMPILE_DEFINITIONS)
    if(definitions MATCHES "THREADED")
        set(ZooKeeperST_FOUND FALSE)
        set(ZooKeeperST_NOT_FOUND_MESSAGE "vcpkg's zookeeper was built with its feature sync, which makes threads; docent needs it without")
        if(ZooKeeperST_FIND_REQUIRED)
            message(FATAL_ERROR "${ZooKeeperST_NOT_FOUND_MESSAGE}")
        endif()
        return()
    endif()
    add_library(ZooKeeper::st INTERFACE IMPORTED)
    target_link_libraries(ZooKeeper::st INTERFACE unofficial::zookeeper::zookeeper)
endif()
if(TARGET ZooKeeper::st)
    set(ZooKeeperST_FOUND TRUE)
    return()
endif()
find_path(ZooKeeperST_INCLUDE_DIR zookeeper/zookeeper.h)
find_library(ZooKeeperST_LIBRARY NAMES zookeeper_st libzookeeper_st.so.2)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ZooKeeperST
    REQUIRED_VARS ZooKeeperST_LIBRARY ZooKeeperST_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "On Debian: apt-get install libzookeeper-st-dev, or, beside libzookeeper-mt-dev, libzookeeper-st2")

if(ZooKeeperST_FOUND AND NOT TARGET ZooKeeper::st)
    add_library(ZooKeeper::st UNKNOWN IMPORTED)
    set_target_properties(ZooKeeper::st PROPERTIES
        IMPORTED_LOCATION "${ZooKeeperST_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${ZooKeeperST_INCLUDE_DIR}")
endif()
mark_as_advanced(ZooKeeperST_INCLUDE_DIR ZooKeeperST_LIBRARY)
