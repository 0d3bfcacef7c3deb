// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;

/**
 * Locks. The words client=NAME path=PATH side=mutex|read|write|semaphore-mutex name a lock. Commands that name the same client
 * and path share one object of Curator's, which knows its holders by their threads. A semaphore-mutex does not know its
 * holders: it has only the commands acquire and release.
 */
final class LockVerbs {
    private final Clients clients;
    private final Map<String, InterProcessMutex> mutexes = new ConcurrentHashMap<>();
    private final Map<String, InterProcessReadWriteLock> readWriteLocks = new ConcurrentHashMap<>();
    private final Map<String, InterProcessSemaphoreMutex> semaphoreMutexes = new ConcurrentHashMap<>();

    LockVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("acquire", this::acquire);
        verbs.put("release", Verb.of(command -> anyOf(command, command.text("side")).release()));
        verbs.put("held", this::held);
        verbs.put("participants", this::participants);
    }

    InterProcessLock anyOf(Command command, String side) {
        if (!side.equals("semaphore-mutex")) return of(command, side);
        return semaphoreMutexes.computeIfAbsent(command.name("client", "path"),
                key -> new InterProcessSemaphoreMutex(clients.of(command), command.text("path")));
    }

    InterProcessMutex of(Command command, String side) {
        String path = command.text("path");
        String key = command.name("client", "path");
        if (side.equals("mutex")) {
            return mutexes.computeIfAbsent(key, k -> new InterProcessMutex(clients.of(command), path));
        }
        InterProcessReadWriteLock lock =
                readWriteLocks.computeIfAbsent(key, k -> new InterProcessReadWriteLock(clients.of(command), path));
        return side.equals("write") ? lock.writeLock() : lock.readLock();
    }

    /** [within=MILLISECONDS]; without it, waits without a limit */
    private Answer acquire(Command command) throws Exception {
        InterProcessLock lock = anyOf(command, command.text("side"));
        boolean acquired = true;
        if (command.has("within")) acquired = lock.acquire(command.number("within"), TimeUnit.MILLISECONDS);
        else lock.acquire();
        return new Answer().with("acquired", acquired);
    }

    private Answer held(Command command) {
        InterProcessMutex lock = of(command, command.text("side"));
        return new Answer().with("by-thread", lock.isOwnedByCurrentThread()).with("by-anyone", lock.isAcquiredInThisProcess());
    }

    /** Names of the nodes, without their parent. */
    private Answer participants(Command command) throws Exception {
        return new Answer().with("names", of(command, command.text("side")).getParticipantNodes().stream()
                .map(path -> path.substring(path.lastIndexOf('/') + 1)).collect(Collectors.joining(",")));
    }
}
