// SPDX-License-Identifier: Apache-2.0

/** The answer to a command that succeeded: its values, in the order in which they were added. */
final class Answer {
    private final StringBuilder text = new StringBuilder();

    Answer with(String key, Object value) {
        text.append(' ').append(key).append('=').append(value);
        return this;
    }

    Answer withData(byte[] data) {
        return with("data", Text.toHex(data));
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
