// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * What lock_workload does, with Apache Curator: one line of key=value figures.
 *
 * <pre>
 * CuratorWorkload --connect H:P --work WORK ...
 *   free       --kind KIND --n N [--warmup N]     mutex, read, write, semaphore, semaphore3 or multi3
 *   contended  --clients N [--hold-us N] [--pause-us N] --ms N [--warmup-ms N]
 *   latch      --n N [--warmup N] [--settle-ms N]
 *   holders    --clients N [--session-ms N] [--settle-ms N] --ms N
 * </pre>
 */
public final class CuratorWorkload {
    private interface Step {
        void run() throws Exception;
    }

    /** Durations of one kind, and what lies at a fraction of them, in whole microseconds. */
    private static final class Durations {
        private final List<Long> values = Collections.synchronizedList(new ArrayList<>());

        void add(long nanoseconds) {
            values.add(nanoseconds);
        }

        long at(double fraction) {
            long[] sorted = values.stream().mapToLong(Long::longValue).sorted().toArray();
            if (sorted.length == 0) return 0;
            return Math.round(sorted[(int) Math.min(sorted.length - 1, sorted.length * fraction)] / 1000.0);
        }

        String asFigures(String name) {
            return " " + name + "_p50_us=" + at(0.5) + " " + name + "_p99_us=" + at(0.99);
        }
    }

    private final Map<String, String> options = new HashMap<>();
    private final List<CuratorFramework> clients = new ArrayList<>();

    private CuratorWorkload(String[] arguments) {
        for (int i = 0; i + 1 < arguments.length; i += 2) options.put(arguments[i].substring(2), arguments[i + 1]);
    }

    public static void main(String[] arguments) throws Exception {
        CuratorWorkload workload = new CuratorWorkload(arguments);
        String work = workload.options.get("work");
        String figures;
        switch (work) {
            case "free": figures = workload.free(); break;
            case "contended": figures = workload.contended(); break;
            case "latch": figures = workload.latch(); break;
            case "holders": figures = workload.holders(); break;
            default: throw new IllegalArgumentException("no such work: " + work);
        }
        System.out.println("peer=curator work=" + work + figures);
        System.exit(0);
    }

    private int number(String name) {
        return Integer.parseInt(options.get(name));
    }

    private int number(String name, int otherwise) {
        return options.containsKey(name) ? number(name) : otherwise;
    }

    private CuratorFramework client() throws Exception {
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(
                        options.get("connect"), number("session-ms", 30000), 15000, new ExponentialBackoffRetry(100, 5));
        client.start();
        client.blockUntilConnected();
        clients.add(client);
        return client;
    }

    /** One cycle after the other of a lock that nobody else wants. */
    private String free() throws Exception {
        String kind = options.getOrDefault("kind", "mutex");
        int n = number("n");
        int warmup = number("warmup", 10);
        String path = "/benchmark/curator-free-" + kind;
        Durations acquires = new Durations();
        Durations releases = new Durations();
        List<Lease> leases = new ArrayList<>();
        Step acquire;
        Step release;
        if (kind.startsWith("semaphore")) {
            InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client(), path, 5);
            int permits = kind.equals("semaphore3") ? 3 : 1;
            acquire = () -> leases.addAll(semaphore.acquire(permits));
            release = () -> {
                Collection<Lease> all = new ArrayList<>(leases);
                leases.clear();
                semaphore.returnAll(all);
            };
        } else {
            InterProcessLock lock = lockOf(kind, path);
            acquire = lock::acquire;
            release = lock::release;
        }
        for (int i = -warmup; i < n; i++) {
            long begin = System.nanoTime();
            acquire.run();
            long acquired = System.nanoTime();
            release.run();
            long released = System.nanoTime();
            if (i < 0) continue;
            acquires.add(acquired - begin);
            releases.add(released - acquired);
        }
        return " kind=" + kind + " n=" + n + " warmup=" + warmup + acquires.asFigures("acquire")
                + releases.asFigures("release");
    }

    private InterProcessLock lockOf(String kind, String path) throws Exception {
        switch (kind) {
            case "mutex": return new InterProcessMutex(client(), path);
            case "read": return new InterProcessReadWriteLock(client(), path).readLock();
            case "write": return new InterProcessReadWriteLock(client(), path).writeLock();
            case "multi3": return new InterProcessMultiLock(client(), List.of(path + "/a", path + "/b", path + "/c"));
            default: throw new IllegalArgumentException("no such lock: " + kind);
        }
    }

    /** Clients with a session each take turns. */
    private String contended() throws Exception {
        int count = number("clients");
        int holdUs = number("hold-us", 0);
        int pauseUs = number("pause-us", 0);
        for (int i = 0; i < count; i++) client();
        Durations handoffs = new Durations();
        AtomicLong released = new AtomicLong();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        AtomicReference<CuratorFramework> last = new AtomicReference<>();
        AtomicInteger again = new AtomicInteger();
        AtomicInteger turns = new AtomicInteger();
        AtomicInteger allTurns = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(count);
        long begin = System.nanoTime() + number("warmup-ms", 500) * 1000000L;
        long end = begin + number("ms") * 1000000L;
        for (CuratorFramework client : clients) {
            new Thread(() -> {
                try {
                    InterProcessMutex mutex = new InterProcessMutex(client, "/benchmark/curator-contended");
                    while (System.nanoTime() < end) {
                        mutex.acquire();
                        long granted = System.nanoTime();
                        long before = released.get();
                        allTurns.incrementAndGet();
                        if (granted >= begin && granted < end) {
                            turns.incrementAndGet();
                            if (last.get() == client) again.incrementAndGet();
                            else if (before != 0) handoffs.add(granted - before);
                        }
                        if (inside.incrementAndGet() != 1) overlaps.incrementAndGet();
                        if (holdUs > 0) Thread.sleep(holdUs / 1000, holdUs % 1000 * 1000);
                        inside.decrementAndGet();
                        last.set(client);
                        released.set(System.nanoTime());
                        mutex.release();
                        if (pauseUs > 0) Thread.sleep(pauseUs / 1000, pauseUs % 1000 * 1000);
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                    System.exit(1);
                }
                all.countDown();
            }).start();
        }
        all.await();
        return " clients=" + count + " hold_us=" + holdUs + " per_s=" + turns.get() * 1e9 / (end - begin)
                + handoffs.asFigures("handoff") + " overlaps=" + overlaps.get() + " turns=" + allTurns.get()
                + " again=" + again.get() / (double) Math.max(1, turns.get());
    }

    /** Sessions with a lock each that do nothing else. */
    private String holders() throws Exception {
        int count = number("clients");
        int held = 0;
        for (int i = 0; i < count; i++) {
            InterProcessMutex mutex = new InterProcessMutex(client(), "/benchmark/fleet/" + i);
            mutex.acquire();
            held += mutex.isAcquiredInThisProcess() ? 1 : 0;
        }
        Thread.sleep(number("settle-ms", 5000));
        System.out.println("ready");
        Thread.sleep(number("ms"));
        return " clients=" + count + " held=" + held;
    }

    /** How long until a latch leads that is alone, and until the next one does when a leader leaves. */
    private String latch() throws Exception {
        int n = number("n");
        int warmup = number("warmup", 10);
        int settleMs = number("settle-ms", 250);
        CuratorFramework one = client();
        CuratorFramework other = client();
        Durations leads = new Durations();
        for (int i = -warmup; i < n; i++) {
            LeaderLatch latch = new LeaderLatch(one, "/benchmark/curator-latch", "curator");
            long begin = System.nanoTime();
            latch.start();
            latch.await();
            if (i >= 0) leads.add(System.nanoTime() - begin);
            latch.close();
            Thread.sleep(settleMs);
        }
        Durations handoffs = new Durations();
        LeaderLatch leader = new LeaderLatch(one, "/benchmark/curator-handoff", "first");
        leader.start();
        leader.await();
        for (int i = 0; i < n; i++) {
            LeaderLatch next = new LeaderLatch(i % 2 == 0 ? other : one, "/benchmark/curator-handoff", "next");
            next.start();
            Thread.sleep(settleMs); // it queues, and watches
            long begin = System.nanoTime();
            leader.close(); // waits for nothing
            next.await();
            handoffs.add(System.nanoTime() - begin);
            leader = next;
        }
        leader.close();
        return " n=" + n + " warmup=" + warmup + leads.asFigures("lead") + handoffs.asFigures("handoff");
    }
}
