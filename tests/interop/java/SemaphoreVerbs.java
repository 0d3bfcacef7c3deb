// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/**
 * Semaphores. The words client=NAME path=PATH name a semaphore. Its limit is limit=NUMBER, or the started count at
 * limit-of=PATH. Commands that name the same client and path share one object of Curator's. Permits are kept for the thread of
 * the command that has acquired them.
 */
final class SemaphoreVerbs {
    private final Clients clients;
    private final SharedCountVerbs counts;
    private final Map<String, InterProcessSemaphoreV2> semaphores = new ConcurrentHashMap<>();
    private final Map<String, Deque<Lease>> permits = new ConcurrentHashMap<>();

    SemaphoreVerbs(Clients clients, SharedCountVerbs counts, Map<String, Verb> verbs) {
        this.clients = clients;
        this.counts = counts;
        verbs.put("acquire-permits", this::acquire);
        // Releases the permit that this thread has had for longest.
        verbs.put("release-permit", Verb.of(command -> of(command).returnLease(permitsOf(command).remove())));
        verbs.put("permit-participants", this::participants);
        // data=HEX: the data of the nodes that are made from now on.
        verbs.put("name-permits", Verb.of(command -> of(command).setNodeData(command.data("data"))));
    }

    InterProcessSemaphoreV2 of(Command command) {
        return semaphores.computeIfAbsent(command.name("client", "path"), key -> make(command));
    }

    private InterProcessSemaphoreV2 make(Command command) {
        String path = command.text("path");
        if (command.has("limit")) return new InterProcessSemaphoreV2(clients.of(command), path, command.number("limit"));
        return new InterProcessSemaphoreV2(clients.of(command), path, counts.of(command, "limit-of"));
    }

    /** count=NUMBER [within=MILLISECONDS]; without it, waits without a limit. Answers the nodes' names; none if it is over. */
    private Answer acquire(Command command) throws Exception {
        int count = command.number("count");
        Collection<Lease> leases = command.has("within")
                ? of(command).acquire(count, command.number("within"), TimeUnit.MILLISECONDS) : of(command).acquire(count);
        if (leases == null) return new Answer().with("names", "");
        permitsOf(command).addAll(leases);
        return new Answer().with("names", leases.stream().map(Lease::getNodeName).collect(Collectors.joining(",")));
    }

    /** Names of the nodes, without their parent, sorted. */
    private Answer participants(Command command) throws Exception {
        return new Answer().with("names", of(command).getParticipantNodes().stream()
                .map(path -> path.substring(path.lastIndexOf('/') + 1)).sorted().collect(Collectors.joining(",")));
    }

    private Deque<Lease> permitsOf(Command command) {
        return permits.computeIfAbsent(command.thread() + ' ' + command.name("client", "path"), key -> new ArrayDeque<>());
    }
}
