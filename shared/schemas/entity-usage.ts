/** Most entities that there may be; `unlimited` lifts it. */
export type EntityLimitSetting = number | 'unlimited';

/** How many entities there are in all namespaces, beside how many there may be. */
export interface EntityUsage {
  readonly total: number;
  /** Of the total, those that something else reports for; the others are agents. */
  readonly proxies: number;
  readonly limit: EntityLimitSetting;
}
