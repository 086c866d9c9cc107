/** The state that the backend reports about itself. Its properties always have the current values. */
export interface BackendStatus {
  /** A random id of this run of the backend. */
  readonly id: string;
  readonly hostname: string;
  /** The address on which the API listens. */
  readonly address: string;
  /** The names of the scheduled tasks in the v1 API (completion 1.15). */
  readonly tasks: readonly string[];
  /** The number of results that wait to be committed. */
  readonly queuedResults: number;
  /** True while the backend accepts results: from its start until it begins to stop. */
  readonly acceptsResults: boolean;
  readonly isStoreOpen: boolean;
}
