// SPDX-License-Identifier: Apache-2.0

/** What a command does. */
interface Verb {
    Answer run(Command command) throws Exception;
}
