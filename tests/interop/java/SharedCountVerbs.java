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

/** Numbers that are shared, each a client=NAME path=PATH, from its first command on. */
final class SharedCountVerbs {
    private final Clients clients;
    private final Map<String, Followed> counts = new ConcurrentHashMap<>();

    SharedCountVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("count-start", this::start);
        verbs.put("count-get", this::get);
        verbs.put("count-set", this::set);
        verbs.put("count-try-set", this::trySet);
        verbs.put("count-increment", this::increment);
        verbs.put("count-await", this::await);
    }

    /** One that was started. */
    SharedCountReader of(Command command, String path) {
        return followed(command, path).count;
    }

    /** seed=NUMBER */
    private Answer start(Command command) throws Exception {
        Followed made = new Followed(clients.of(command), command.text("path"), command.number("seed"));
        made.count.start();
        counts.put(key(command, command.text("path")), made);
        return new Answer();
    }

    /** What this process knows, and compares with when it tries to set. */
    private Answer get(Command command) {
        Followed count = followed(command, command.text("path"));
        count.seen = count.count.getVersionedValue();
        return new Answer().with("version", count.seen.getVersion()).with("count", count.seen.getValue());
    }

    /** to=NUMBER */
    private Answer set(Command command) throws Exception {
        followed(command, command.text("path")).count.setCount(command.number("to"));
        return new Answer();
    }

    /** to=NUMBER, if it is still what the last count-get has seen */
    private Answer trySet(Command command) throws Exception {
        Followed count = followed(command, command.text("path"));
        return new Answer().with("set", count.count.trySetCount(count.seen, command.number("to")));
    }

    /** times=NUMBER, each by a try that may need others */
    private Answer increment(Command command) throws Exception {
        SharedCount count = followed(command, command.text("path")).count;
        int conflicts = 0;
        for (int done = 0; done < command.number("times");) {
            VersionedValue<Integer> seen = count.getVersionedValue();
            if (count.trySetCount(seen, seen.getValue() + 1)) done++;
            else conflicts++;
        }
        return new Answer().with("conflicts", conflicts);
    }

    /** is=NUMBER: waits until a listener is told of it. */
    private Answer await(Command command) throws InterruptedException {
        return new Answer().with("heard", followed(command, command.text("path")).awaitHeard(command.number("is")));
    }

    private Followed followed(Command command, String path) {
        Followed count = counts.get(key(command, path));
        if (count == null) throw new IllegalArgumentException("not started: " + path);
        return count;
    }

    private static String key(Command command, String path) {
        return command.text("client") + ' ' + path;
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
