/** An error or a warning about the setting at `path`. */
export interface Remark {
  readonly path: readonly string[];
  readonly message: string;
}
