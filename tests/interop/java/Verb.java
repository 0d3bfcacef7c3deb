// SPDX-License-Identifier: Apache-2.0

/** The action of a command. */
interface Verb {
    Answer run(Command command) throws Exception;

    /** Makes a verb whose answer has no values. */
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
