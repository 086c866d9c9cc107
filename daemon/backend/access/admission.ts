/**
 * Asked when the turn of a change has come: by then the credentials of whoever wants it may have been taken away, and
 * what was promised with that holds for everything that comes after it.
 *
 * @throws MonError `unauthenticated` or `forbidden` when it must not be done any more
 */
export type Admission = () => void;

/** Of the backend itself. */
export const ALWAYS: Admission = () => undefined;
