// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.Revoker;

/** Requests to give up a lock: sends them, and receives them as a holder. */
final class RevocationVerbs {
    private final Clients clients;
    private final LockVerbs locks;
    private final Map<InterProcessMutex, Semaphore> requests = new ConcurrentHashMap<>();

    RevocationVerbs(Clients clients, LockVerbs locks, Map<String, Verb> verbs) {
        this.clients = clients;
        this.locks = locks;
        // client=NAME path=PATH side=mutex|read|write; counts the requests from now on.
        verbs.put("make-revocable", Verb.of(
                command -> locks.of(command, command.text("side")).makeRevocable(lock -> requestsFor(lock).release())));
        verbs.put("await-revocation", this::awaitRevocation);
        // client=NAME path=PATH: the node of a holder or a waiter
        verbs.put("revoke", Verb.of(command -> Revoker.attemptRevoke(clients.of(command), command.text("path"))));
    }

    /** client=NAME path=PATH side=mutex|read|write; waits for the first request, and counts them. */
    private Answer awaitRevocation(Command command) throws InterruptedException {
        Semaphore requested = requestsFor(locks.of(command, command.text("side")));
        boolean any = requested.tryAcquire(30, TimeUnit.SECONDS);
        return new Answer().with("times", any ? 1 + requested.drainPermits() : 0);
    }

    private Semaphore requestsFor(InterProcessMutex lock) {
        return requests.computeIfAbsent(lock, key -> new Semaphore(0));
    }
}
