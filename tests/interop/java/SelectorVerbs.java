// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;

/**
 * Leader selectors, each a client=NAME path=PATH id=HEX, from selector-start [requeues] on. Each leads until selector-end, or
 * until it is interrupted.
 */
final class SelectorVerbs {
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
    private final Map<String, Work> works = new ConcurrentHashMap<>();

    SelectorVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("selector-start", this::start);
        verbs.put("selector-await", this::await);
        verbs.put("selector-leads", command -> new Answer().with("leads", of(command).selector.hasLeadership()));
        verbs.put("selector-leader", command -> new Answer().with("leader", Text.ofId(of(command).selector.getLeader())));
        verbs.put("selector-participants", command -> new Answer().with("ids", of(command).selector.getParticipants().stream()
                .map(Text::ofId).collect(Collectors.joining(","))));
        verbs.put("selector-end", this::end);
        verbs.put("selector-requeue", command -> new Answer().with("queued", of(command).selector.requeue()));
        verbs.put("selector-interrupt", this::interrupt);
    }

    private Answer start(Command command) {
        Work work = new Work();
        work.selector = new LeaderSelector(clients.of(command), command.text("path"), work);
        work.selector.setId(new String(command.data("id"), StandardCharsets.UTF_8));
        if (command.has("requeues")) work.selector.autoRequeue();
        works.put(key(command), work);
        work.selector.start();
        return new Answer();
    }

    /** Until it begins to lead, once more. */
    private Answer await(Command command) throws Exception {
        return new Answer().with("leads", of(command).begun.tryAcquire(60, TimeUnit.SECONDS));
    }

    private Answer end(Command command) {
        of(command).mayEnd.release();
        return new Answer();
    }

    private Answer interrupt(Command command) {
        of(command).selector.interruptLeadership();
        return new Answer();
    }

    private Work of(Command command) {
        Work work = works.get(key(command));
        if (work == null) throw new IllegalArgumentException("not started: " + key(command));
        return work;
    }

    private static String key(Command command) {
        return command.text("client") + ' ' + command.text("path") + ' ' + command.text("id");
    }
}
