/** A message between a backend and a Sensu Go agent. */
export interface AgentFrame {
  readonly type: string;
  /** Payload as JSON. */
  readonly payload: string;
}

/** Maximum length of a message type. */
const TYPE_LENGTH_MAX = 64;

/**
 * Parses a message between backend and Sensu Go agent: a type, a line feed and a payload (clients 6).
 *
 * @returns undefined if the type is empty, too long, or not followed by a line feed
 */
export function parseAgentFrame(text: string): AgentFrame | undefined {
  const end = text.indexOf('\n');
  if (end < 1 || end > TYPE_LENGTH_MAX) return undefined;
  return { type: text.slice(0, end), payload: text.slice(end + 1) };
}

export function agentFrame(type: string, payload: unknown): string {
  return `${type}\n${JSON.stringify(payload)}`;
}
