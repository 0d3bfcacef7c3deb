// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.Revoker;

/** Asking for locks, and being asked. */
final class RevocationVerbs {
    private final Clients clients;
    private final LockVerbs locks;
    private final Map<InterProcessMutex, Semaphore> requests = new ConcurrentHashMap<>();

    RevocationVerbs(Clients clients, LockVerbs locks, Map<String, Verb> verbs) {
        this.clients = clients;
        this.locks = locks;
        verbs.put("make-revocable", this::makeRevocable);
        verbs.put("await-revocation", this::awaitRevocation);
        verbs.put("revoke", this::revoke);
    }

    /** client=NAME path=PATH side=mutex|read|write; the requests are counted. */
    private Answer makeRevocable(Command command) {
        locks.of(command, command.text("side")).makeRevocable(lock -> requestsFor(lock).release());
        return new Answer();
    }

    /** The same words; waits for the first one. */
    private Answer awaitRevocation(Command command) throws InterruptedException {
        Semaphore requested = requestsFor(locks.of(command, command.text("side")));
        boolean any = requested.tryAcquire(30, TimeUnit.SECONDS);
        return new Answer().with("times", any ? 1 + requested.drainPermits() : 0);
    }

    /** client=NAME path=PATH, of a node */
    private Answer revoke(Command command) throws Exception {
        Revoker.attemptRevoke(clients.of(command), command.text("path"));
        return new Answer();
    }

    private Semaphore requestsFor(InterProcessMutex lock) {
        return requests.computeIfAbsent(lock, key -> new Semaphore(0));
    }
}
