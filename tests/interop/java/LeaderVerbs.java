// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.leader.Participant;

/**
 * Leader latches and leader selectors. The words client=NAME path=PATH id=HEX name one; latch-start or selector-start
 * [requeues] makes it. A selector leads until selector-end, or until it is interrupted.
 */
final class LeaderVerbs {
    private static final class Work extends LeaderSelectorListenerAdapter {
        private final Semaphore begun = new Semaphore(0);
        private final Semaphore mayEnd = new Semaphore(0);
        private LeaderSelector selector;

        @Override
        public void takeLeadership(CuratorFramework client) throws Exception {
            begun.release();
            mayEnd.acquire();
        }
    }

    private final Clients clients;
    private final Map<String, LeaderLatch> latches = new ConcurrentHashMap<>();
    private final Map<String, Work> works = new ConcurrentHashMap<>();

    LeaderVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("latch-start", Verb.of(this::startLatch));
        verbs.put("latch-await", command -> new Answer().with("leads", latch(command).await(60, TimeUnit.SECONDS)));
        verbs.put("latch-leads", command -> new Answer().with("leads", latch(command).hasLeadership()));
        verbs.put("latch-leader", command -> new Answer().with("leader", Text.ofId(latch(command).getLeader())));
        verbs.put("latch-participants", command -> inOrder(latch(command).getParticipants()));
        verbs.put("latch-close", Verb.of(command -> latch(command).close()));
        verbs.put("selector-start", Verb.of(this::startSelector));
        // Waits until the selector begins to lead. Each beginning is counted once.
        verbs.put("selector-await",
                command -> new Answer().with("leads", work(command).begun.tryAcquire(60, TimeUnit.SECONDS)));
        verbs.put("selector-leads", command -> new Answer().with("leads", work(command).selector.hasLeadership()));
        verbs.put("selector-leader", command -> new Answer().with("leader", Text.ofId(work(command).selector.getLeader())));
        verbs.put("selector-participants", command -> inOrder(work(command).selector.getParticipants()));
        verbs.put("selector-end", Verb.of(command -> work(command).mayEnd.release()));
        verbs.put("selector-requeue", command -> new Answer().with("queued", work(command).selector.requeue()));
        verbs.put("selector-interrupt", Verb.of(command -> work(command).selector.interruptLeadership()));
    }

    private void startLatch(Command command) throws Exception {
        LeaderLatch latch = new LeaderLatch(clients.of(command), command.text("path"), id(command));
        latches.put(name(command), latch);
        latch.start();
    }

    private void startSelector(Command command) {
        Work work = new Work();
        work.selector = new LeaderSelector(clients.of(command), command.text("path"), work);
        work.selector.setId(id(command));
        if (command.has("requeues")) work.selector.autoRequeue();
        works.put(name(command), work);
        work.selector.start();
    }

    /** In the order of their turns. */
    private static Answer inOrder(Collection<Participant> participants) {
        return new Answer().with("ids", participants.stream().map(Text::ofId).collect(Collectors.joining(",")));
    }

    private LeaderLatch latch(Command command) {
        return Command.started(latches, name(command));
    }

    private Work work(Command command) {
        return Command.started(works, name(command));
    }

    private static String id(Command command) {
        return new String(command.data("id"), StandardCharsets.UTF_8);
    }

    private static String name(Command command) {
        return command.name("client", "path", "id");
    }
}
