/** What the backend tells about itself; every read gives the state of that moment. */
export interface BackendStatus {
  /** The id of this run of the backend. */
  readonly id: string;
  readonly hostname: string;
  /** The address where it serves. */
  readonly address: string;
  /** What it does by the clock, by the names of completion 1.15. */
  readonly tasks: readonly string[];
  /** Results that wait for their commit. */
  readonly queuedResults: number;
  /** Whether results are taken in: from the start until the stop. */
  readonly isTakingResults: boolean;
  readonly isStoreOpen: boolean;
}
