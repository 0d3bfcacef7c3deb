// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace docent::posix {

/// While it lives, pthread_cancel() of this thread waits: what must not throw would end the process by it.
class NotCanceled {
public:
    NotCanceled() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NotCanceled() { ::pthread_setcancelstate(before_, nullptr); }
    NotCanceled(const NotCanceled&) = delete;
    NotCanceled& operator=(const NotCanceled&) = delete;

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace docent::posix
