/**
 * Checks, right before a queued change is applied, that its sender may still make it: the sender's credentials may have
 * been revoked while the change waited.
 *
 * @throws MonError `unauthenticated` or `forbidden` if the change is no longer allowed
 */
export type Admission = () => void;

/** Admission for changes by the backend itself, which are always allowed. */
export const ALWAYS: Admission = () => undefined;
