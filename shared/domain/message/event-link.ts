import { DEFAULT_NAMESPACE } from '../../schemas/namespace.ts';
import { shellWord } from '../command-text.ts';
import { safeLink } from './runbook-link.ts';

/** The names that identify an event. */
interface EventName {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
}

/** Maximum length of a command in a message; a command with longer names is not shown. */
const COMMAND_LENGTH_MAX = 500;

/**
 * Returns the URL of an event below the setting `public-url`; undefined if it is too long for a link. It is the URL of
 * the event in the API of mon.
 */
export function eventUrlBelow(publicUrl: string, { namespace, client, check }: EventName): string | undefined {
  const path = `/api/mon/v1/events/${encodeURIComponent(client)}/${encodeURIComponent(check)}`;
  const query = namespace === DEFAULT_NAMESPACE ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  return safeLink(`${publicUrl.replace(/\/+$/, '')}${path}${query}`);
}

/**
 * Returns the command that shows an event: in the console, or with `monctl` if the event is not in the namespace
 * `default`, because only `monctl` has an option for the namespace. Returns undefined if the command would be too long.
 *
 * @param publicUrl the setting `public-url`, at which users reach the backend; undefined if it is not set
 */
export function openCommand(
  { namespace, client, check }: EventName,
  publicUrl: string | undefined,
): string | undefined {
  const backend = publicUrl === undefined ? [] : ['--backend', publicUrl];
  const words =
    namespace === DEFAULT_NAMESPACE
      ? ['mon', ...backend, '--open', `${client}/${check}`]
      : ['monctl', 'event', 'info', client, check, '--namespace', namespace, ...backend];
  const command = words.map(shellWord).join(' ');
  return command.length > COMMAND_LENGTH_MAX ? undefined : command;
}
