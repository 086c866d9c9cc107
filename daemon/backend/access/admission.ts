/**
 * Called when the turn of a change has come: the credentials of its sender may have been revoked since it was queued. A
 * revocation applies to every change after it.
 *
 * @throws MonError `unauthenticated` or `forbidden` if the change is no longer allowed
 */
export type Admission = () => void;

/** The admission of the backend's own changes. */
export const ALWAYS: Admission = () => undefined;
