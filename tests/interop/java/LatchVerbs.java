// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.recipes.leader.LeaderLatch;

/** Leader latches, each a client=NAME path=PATH id=HEX, from latch-start on. */
final class LatchVerbs {
    private final Clients clients;
    private final Map<String, LeaderLatch> latches = new ConcurrentHashMap<>();

    LatchVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("latch-start", this::start);
        verbs.put("latch-await", this::await);
        verbs.put("latch-leads", command -> new Answer().with("leads", of(command).hasLeadership()));
        verbs.put("latch-leader", command -> new Answer().with("leader", Text.ofId(of(command).getLeader())));
        verbs.put("latch-participants", this::participants);
        verbs.put("latch-close", this::close);
    }

    private Answer start(Command command) throws Exception {
        String id = new String(command.data("id"), StandardCharsets.UTF_8);
        LeaderLatch latch = new LeaderLatch(clients.of(command), command.text("path"), id);
        latches.put(key(command), latch);
        latch.start();
        return new Answer();
    }

    private Answer await(Command command) throws Exception {
        return new Answer().with("leads", of(command).await(60, TimeUnit.SECONDS));
    }

    /** In the order of their turns. */
    private Answer participants(Command command) throws Exception {
        return new Answer().with("ids", of(command).getParticipants().stream()
                .map(Text::ofId).collect(Collectors.joining(",")));
    }

    private Answer close(Command command) throws Exception {
        of(command).close();
        return new Answer();
    }

    private LeaderLatch of(Command command) {
        LeaderLatch latch = latches.get(key(command));
        if (latch == null) throw new IllegalArgumentException("not started: " + key(command));
        return latch;
    }

    private static String key(Command command) {
        return command.text("client") + ' ' + command.text("path") + ' ' + command.text("id");
    }
}
