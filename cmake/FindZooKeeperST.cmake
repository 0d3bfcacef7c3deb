# SPDX-License-Identifier: Apache-2.0
# Finds the single-threaded ZooKeeper C client: target ZooKeeper::st.
#
# Debian's -dev packages of the single-threaded (st) and the multi-threaded (mt) library exclude each other but ship the same
# header, so the header may come from either, and the library may be there as its runtime package only, under its versioned
# name.
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
