/** The page and the cursor of the upgrade view. */
export interface UpgradePosition {
  /** The page: the versions of all programs, or the plan. */
  readonly page: 'versions' | 'plan';
  /** Id of the plan for which the console last opened the plan page by itself. It does so once for each new plan. */
  readonly plan: number | undefined;
  /** Id of the step that was drawn under the cursor. */
  readonly step: string | undefined;
  /** True if the cursor moves along with the current step of the plan. */
  readonly follows: boolean;
}

export const FIRST_UPGRADE_POSITION: UpgradePosition = {
  page: 'versions',
  plan: undefined,
  step: undefined,
  follows: true,
};
