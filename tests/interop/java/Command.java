// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A line of the input, taken apart. */
final class Command {
    private final String thread;
    private final String verb;
    private final Map<String, List<String>> words = new LinkedHashMap<>();

    Command(String line) {
        String[] parts = line.split(" ");
        thread = parts[0];
        verb = parts.length > 1 ? parts[1] : "";
        for (int i = 2; i < parts.length; i++) {
            String[] word = parts[i].split("=", 2);
            words.computeIfAbsent(word[0], key -> new ArrayList<>()).add(word.length > 1 ? word[1] : "");
        }
    }

    String thread() {
        return thread;
    }

    String verb() {
        return verb;
    }

    boolean has(String key) {
        return words.containsKey(key);
    }

    /** All values of a key that may be there several times. */
    List<String> all(String key) {
        return words.getOrDefault(key, List.of());
    }

    String text(String key) {
        if (!has(key)) throw new IllegalArgumentException(verb + " needs " + key + "=...");
        return words.get(key).get(0);
    }

    /** The values of these keys, which name an object. */
    String name(String... keys) {
        return Stream.of(keys).map(this::text).collect(Collectors.joining(" "));
    }

    /** The object of this name. */
    static <T> T started(Map<String, T> objects, String name) {
        T object = objects.get(name);
        if (object == null) throw new IllegalArgumentException("not started: " + name);
        return object;
    }

    byte[] data(String key) {
        return Text.fromHex(text(key));
    }

    int number(String key) {
        return Integer.parseInt(text(key));
    }
}
