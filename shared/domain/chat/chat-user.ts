import { CHAT_SERVICES, type ChatService, type ChatUser } from '../../schemas/chat.ts';
import type { PersonDefinition } from '../../schemas/on-call.ts';

type People = ReadonlyMap<string, Pick<PersonDefinition, 'chat'>>;

/** Names of the services for users. */
export const SERVICE_NAMES: Readonly<Record<ChatService, string>> = {
  slack: 'Slack',
  mattermost: 'Mattermost',
  telegram: 'Telegram',
};

/** Matches a user ID of Mattermost. */
const MATTERMOST_ID = /^[a-z0-9]{26}$/;

/** Returns the name of the person whom a chat user stands for; undefined if nobody has this chat user. */
export function personOfChatUser(people: People, user: ChatUser): string | undefined {
  for (const [name, { chat }] of people) {
    const own = chat?.[user.service];
    if (own !== undefined && identifierLike(String(own), user) === String(own)) return name;
  }
  return undefined;
}

/**
 * Returns the identifier of a chat user that can equal `own`. A user of Mattermost can take the ID of another user as a
 * name, so an ID is compared only with an ID.
 */
function identifierLike(own: string, { service, id, name }: ChatUser): string | undefined {
  return service === 'mattermost' && !MATTERMOST_ID.test(own) ? name : id;
}

/** Returns how a chat user is written in the section `people`. */
export function chatSetting({ service, id, name }: ChatUser): string {
  return `chat: { ${service}: ${service === 'mattermost' ? (name ?? id) : id} }`;
}

/** Yields the chat users that several people have. Nobody could say which person a click comes from. */
export function* sharedChatUsers(people: People): Generator<{
  readonly person: string;
  readonly other: string;
  readonly service: ChatService;
}> {
  for (const service of CHAT_SERVICES) {
    const owners = new Map<string | number, string>();
    for (const [person, { chat }] of people) {
      const user = chat?.[service];
      if (user === undefined) continue;
      const other = owners.get(user);
      if (other === undefined) owners.set(user, person);
      else yield { person, other, service };
    }
  }
}
