// SPDX-License-Identifier: Apache-2.0

/** What a command does. */
interface Verb {
    Answer run(Command command) throws Exception;

    /** Answers without values. */
    static Verb of(Deed deed) {
        return command -> {
            deed.run(command);
            return new Answer();
        };
    }

    interface Deed {
        void run(Command command) throws Exception;
    }
}
