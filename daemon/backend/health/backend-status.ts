/** The state that the backend reports about itself; every read returns the current state. */
export interface BackendStatus {
  /** The id of this run of the backend. */
  readonly id: string;
  readonly hostname: string;
  /** The address on which the API listens. */
  readonly address: string;
  /** The scheduled tasks, under the names of completion 1.15. */
  readonly tasks: readonly string[];
  /** The number of results that wait for their commit. */
  readonly queuedResults: number;
  /** True from the start until the stop, while results are accepted. */
  readonly isTakingResults: boolean;
  readonly isStoreOpen: boolean;
}
