// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.curator.framework.recipes.shared.SharedCountListener;
import org.apache.curator.framework.recipes.shared.SharedCountReader;
import org.apache.curator.framework.recipes.shared.VersionedValue;
import org.apache.curator.framework.state.ConnectionState;

/** Shared numbers. The words client=NAME path=PATH name a number; count-start makes the object. */
final class SharedCountVerbs {
    private final Clients clients;
    private final Map<String, Followed> counts = new ConcurrentHashMap<>();

    SharedCountVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("count-start", Verb.of(this::start));
        verbs.put("count-get", this::get);
        verbs.put("count-set", Verb.of(command -> of(command, "path").setCount(command.number("to"))));
        verbs.put("count-try-set", this::trySet);
        verbs.put("count-increment", this::increment);
        verbs.put("count-await", this::await);
    }

    /** The started count whose path is the value of this key in the command. */
    SharedCount of(Command command, String key) {
        return Command.started(counts, command.name("client", key)).count;
    }

    /** seed=NUMBER */
    private void start(Command command) throws Exception {
        Followed made = new Followed(clients.of(command), command.text("path"), command.number("seed"));
        made.count.start();
        counts.put(command.name("client", "path"), made);
    }

    /** The value and version that this process knows. The next count-try-set compares with this version. */
    private Answer get(Command command) {
        Followed count = followed(command);
        count.seen = count.count.getVersionedValue();
        return new Answer().with("version", count.seen.getVersion()).with("count", count.seen.getValue());
    }

    /** to=NUMBER: sets the count, unless it has changed since the last count-get */
    private Answer trySet(Command command) throws Exception {
        Followed count = followed(command);
        return new Answer().with("set", count.count.trySetCount(count.seen, command.number("to")));
    }

    /** times=NUMBER: repeats each try until it succeeds, and counts the conflicts */
    private Answer increment(Command command) throws Exception {
        SharedCount count = of(command, "path");
        int conflicts = 0;
        for (int done = 0; done < command.number("times");) {
            VersionedValue<Integer> seen = count.getVersionedValue();
            if (count.trySetCount(seen, seen.getValue() + 1)) done++;
            else conflicts++;
        }
        return new Answer().with("conflicts", conflicts);
    }

    /** is=NUMBER: waits until the listener is told of this number. */
    private Answer await(Command command) throws InterruptedException {
        return new Answer().with("heard", followed(command).awaitHeard(command.number("is")));
    }

    private Followed followed(Command command) {
        return Command.started(counts, command.name("client", "path"));
    }

    private static final class Followed implements SharedCountListener {
        final SharedCount count;
        volatile VersionedValue<Integer> seen;
        private Integer heard;

        Followed(CuratorFramework client, String path, int seed) {
            count = new SharedCount(client, path, seed);
            count.addListener(this);
        }

        @Override
        public synchronized void countHasChanged(SharedCountReader reader, int newCount) {
            heard = newCount;
            notifyAll();
        }

        @Override
        public void stateChanged(CuratorFramework client, ConnectionState state) {}

        synchronized boolean awaitHeard(int number) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (heard == null || heard != number) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) return false;
                wait(left);
            }
            return true;
        }
    }
}
