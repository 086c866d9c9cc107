/** Where one is in the upgrade view. */
export interface UpgradePlace {
  /** What runs where, or the plan. */
  readonly page: 'versions' | 'plan';
  /** Id of the plan that the page was opened for; each new one opens it once. */
  readonly plan: number | undefined;
  /** Id of the step that was drawn under the cursor. */
  readonly step: string | undefined;
  /** Whether the cursor goes on with the plan. */
  readonly follows: boolean;
}

export const FIRST_UPGRADE_PLACE: UpgradePlace = { page: 'versions', plan: undefined, step: undefined, follows: true };
