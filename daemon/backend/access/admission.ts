/**
 * Checks, right before a queued change is applied, that its sender still has the right to make it. The sender's
 * credentials can be revoked while the change waits.
 *
 * @throws MonError `unauthenticated` or `forbidden` if the change is no longer allowed
 */
export type Admission = () => void;

/** The admission check of changes that the backend itself makes. It never rejects a change. */
export const ALWAYS_ADMITTED: Admission = () => undefined;
