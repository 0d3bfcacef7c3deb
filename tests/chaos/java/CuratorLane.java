// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.Method;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;

/**
 * Does one work after the other, with one client. It believes in a lock until it releases the lock, or its client is told
 * SUSPENDED or LOST. After an error it closes its client, and the next work gets a new client. Otherwise Curator could leave
 * nodes behind in the session, and docent could not help that.
 */
final class CuratorLane implements Runnable {
    private static final String READ_WRITE = "/chaos/read-write";
    private static final String SEMAPHORE = "/chaos/semaphore";
    private static final int PERMITS = 3;
    private static final int PATIENCE = 10;

    private final CuratorWorker worker;
    private final Journal journal;
    private final String connect;
    private final int sessionTimeout;
    private final Random random;
    private final AtomicInteger troubles = new AtomicInteger();
    private CuratorFramework client;

    CuratorLane(CuratorWorker worker, Journal journal, String connect, int sessionTimeout, long seed) {
        this.worker = worker;
        this.journal = journal;
        this.connect = connect;
        this.sessionTimeout = sessionTimeout;
        this.random = new Random(seed);
    }

    @Override
    public void run() {
        while (!worker.hasEnded()) {
            try {
                if (worker.isPausing()) {
                    close();
                    worker.rest();
                } else {
                    open();
                    doOne(worker.nextWork());
                }
            } catch (Exception e) {
                close();
            }
        }
        close();
    }

    private void open() throws Exception {
        if (client != null) return;
        client = CuratorFrameworkFactory.builder().connectString(connect).sessionTimeoutMs(sessionTimeout)
                .connectionTimeoutMs(2000).retryPolicy(new RetryNTimes(2, 200)).build();
        client.getConnectionStateListenable().addListener((of, state) -> {
            if (state == ConnectionState.SUSPENDED || state == ConnectionState.LOST) troubles.incrementAndGet();
        });
        client.start();
        if (!client.blockUntilConnected(5, TimeUnit.SECONDS)) throw new IllegalStateException("not connected");
        long session = client.getZookeeperClient().getZooKeeper().getSessionId();
        journal.add("session 0 " + session + " connected");
    }

    private void close() {
        if (client != null) client.close();
        client = null;
    }

    private void doOne(long work) throws Exception {
        double drawn = random.nextDouble();
        if (drawn < 0.45) {
            String path = "/chaos/mutex-" + random.nextInt(2);
            useLock(work, "mutex", path, "exclusive", new InterProcessMutex(client, path));
        } else if (drawn < 0.75) {
            InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, READ_WRITE);
            if (random.nextDouble() < 0.4) useLock(work, "write", READ_WRITE, "exclusive", lock.writeLock());
            else useLock(work, "read", READ_WRITE, "shared", lock.readLock());
        } else {
            usePermit(work);
        }
    }

    private void useLock(long work, String what, String path, String mode, InterProcessMutex lock) throws Exception {
        journal.add("ask " + work + " curator-" + what + ' ' + path);
        try {
            if (!lock.acquire(PATIENCE, TimeUnit.SECONDS)) {
                journal.add("failed " + work + " Curator: not acquired");
                return;
            }
        } catch (Exception e) {
            throw failed(work, e);
        }
        hold(work, path + ' ' + mode, nodeOf(lock));
        release(work, lock::release);
    }

    private void usePermit(long work) throws Exception {
        journal.add("ask " + work + " curator-permit " + SEMAPHORE);
        InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, SEMAPHORE, PERMITS);
        Lease lease;
        try {
            lease = semaphore.acquire(PATIENCE, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw failed(work, e);
        }
        if (lease == null) {
            journal.add("failed " + work + " Curator: not acquired");
            return;
        }
        hold(work, SEMAPHORE + " permit:" + PERMITS, SEMAPHORE + "/leases/" + lease.getNodeName());
        release(work, () -> semaphore.returnLease(lease));
    }

    private Exception failed(long work, Exception e) {
        journal.add("failed " + work + " Curator: " + e.getClass().getSimpleName());
        return e;
    }

    /** The token is 0, because only the servers' logs have it. */
    private void hold(long work, String claim, String node) throws InterruptedException {
        int before = troubles.get();
        journal.add("granted " + work + ' ' + claim + " 0 " + node);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(holdingTime());
        boolean saidYes = false;
        do {
            long time = journal.now();
            if (troubles.get() != before || !client.getZookeeperClient().isConnected()) {
                journal.add("lost " + work);
                return;
            }
            if (saidYes) journal.still(time, work);
            else journal.add(time, "yes " + work);
            saidYes = true;
            Thread.sleep(5);
        } while (System.nanoTime() < until && !worker.isPausing());
    }

    private int holdingTime() {
        return random.nextInt(random.nextDouble() < 0.8 ? 100 : sessionTimeout);
    }

    private interface Release {
        void run() throws Exception;
    }

    private void release(long work, Release release) throws Exception {
        try {
            release.run();
            journal.add("released " + work + " well");
        } catch (Exception e) {
            journal.add("released " + work + " Curator:" + e.getClass().getSimpleName());
            throw e;
        }
    }

    private static String nodeOf(InterProcessMutex lock) throws ReflectiveOperationException {
        Method path = InterProcessMutex.class.getDeclaredMethod("getLockPath");
        path.setAccessible(true);
        return (String) path.invoke(lock);
    }
}
