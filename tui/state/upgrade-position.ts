/** The position in the upgrade view. */
export interface UpgradePosition {
  /** The page: the versions of all programs, or the plan. */
  readonly page: 'versions' | 'plan';
  /** Id of the plan for which the page was opened; each new plan opens it once. */
  readonly plan: number | undefined;
  /** Id of the step that was drawn under the cursor. */
  readonly step: string | undefined;
  /** True if the cursor follows the current step. */
  readonly follows: boolean;
}

export const FIRST_UPGRADE_POSITION: UpgradePosition = {
  page: 'versions',
  plan: undefined,
  step: undefined,
  follows: true,
};
