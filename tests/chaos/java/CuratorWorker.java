// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process of Curator clients beside docent's workers. It takes the same commands on its standard input (pause, go), and writes
 * the same lines into its history. Arguments: NAME FOLDER CONNECT SEED SESSION-TIMEOUT CLOCK-OFFSET. Java uses CLOCK_MONOTONIC;
 * the offset is the lead of CLOCK_BOOTTIME in nanoseconds.
 */
public final class CuratorWorker {
    private static final int LANES = 2;

    private final Journal journal;
    private final List<Thread> threads = new ArrayList<>();
    private boolean pausing = false;
    private boolean ended = false;
    private int resting = 0;
    private long works = 0;

    private CuratorWorker(String[] arguments) throws Exception {
        journal = new Journal(Path.of(arguments[1], arguments[0] + ".history"), Long.parseLong(arguments[5]));
        journal.add("start " + ProcessHandle.current().pid());
        journal.add("curator");
        for (int i = 0; i < LANES; ++i) {
            CuratorLane lane = new CuratorLane(this, journal, arguments[2], Integer.parseInt(arguments[4]),
                    Long.parseUnsignedLong(arguments[3]) * LANES + i);
            threads.add(new Thread(lane, "lane-" + i));
        }
    }

    public static void main(String[] arguments) {
        try {
            new CuratorWorker(arguments).run();
        } catch (Exception e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    private void run() throws Exception {
        for (Thread thread : threads) thread.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String word = in.readLine(); word != null; word = in.readLine()) {
            if (word.equals("pause")) pause(true);
            else if (word.equals("go")) pause(false);
        }
        synchronized (this) {
            ended = true;
            notifyAll();
        }
        for (Thread thread : threads) thread.interrupt();
        for (Thread thread : threads) thread.join(TimeUnit.SECONDS.toMillis(10));
        journal.add("end");
    }

    private synchronized void pause(boolean now) {
        pausing = now;
        if (now && resting == LANES) rests();
        notifyAll();
    }

    /** Memory and descriptors are not measured: the memory of a Java machine says nothing about docent. */
    private void rests() {
        journal.add("idle 0 0");
    }

    synchronized boolean isPausing() {
        return pausing || ended;
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    synchronized long nextWork() {
        return ++works;
    }

    synchronized void rest() throws InterruptedException {
        if (!pausing || ended) return;
        if (++resting == LANES) rests();
        while (pausing && !ended) wait();
        --resting;
    }
}
