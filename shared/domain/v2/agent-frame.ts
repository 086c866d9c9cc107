/** One message between a backend and an agent of the newer generation. */
export interface AgentFrame {
  readonly type: string;
  /** JSON. */
  readonly payload: string;
}

/** No type is longer. */
const TYPE_LENGTH_MAX = 64;

/**
 * A frame taken apart: the type, a line feed, the payload (clients 6).
 *
 * @returns undefined when it has no type
 */
export function parseAgentFrame(text: string): AgentFrame | undefined {
  const end = text.indexOf('\n');
  if (end < 1 || end > TYPE_LENGTH_MAX) return undefined;
  return { type: text.slice(0, end), payload: text.slice(end + 1) };
}

export function agentFrame(type: string, payload: unknown): string {
  return `${type}\n${JSON.stringify(payload)}`;
}
