/** A remark about the value at `path`. */
export interface Remark {
  readonly path: readonly string[];
  readonly message: string;
}
