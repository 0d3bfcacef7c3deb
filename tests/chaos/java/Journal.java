// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Writes a history as journal.hpp does. */
final class Journal {
    private final RandomAccessFile file;
    private final long clockOffset;
    private long end = 0;
    private long last = 0;
    private long lastStill = 0;

    Journal(Path path, long clockOffset) throws IOException {
        this.file = new RandomAccessFile(path.toFile(), "rw");
        this.clockOffset = clockOffset;
    }

    long now() {
        return System.nanoTime() + clockOffset;
    }

    void add(String event) {
        add(now(), event);
    }

    synchronized void add(long time, String event) {
        lastStill = 0;
        write(time + " " + event.replace('\n', ' ') + '\n');
    }

    /** Records that a work still owned its lock at this time. Replaces the last line if that said the same of an earlier time. */
    synchronized void still(long time, long work) {
        if (lastStill == work) end = last;
        lastStill = work;
        write(String.format("%020d still %d%n", time, work));
    }

    private void write(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        last = end;
        try {
            file.seek(end);
            file.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        end += bytes.length;
    }
}
