import { z } from 'zod';
import { DOTS_MESSAGE, isDotName, NAME_LENGTH_MAX } from '../name.ts';
import { bcryptHashSchema, passwordSchema } from './password.ts';

/** Maximum length of a current password that is verified, in characters. */
const PASSWORD_LENGTH_MAX = 1024;

const GROUPS_MAX = 100;

/** User names that the audit trail uses for other purposes, so no user can have them. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['mon', 'anonymous']);

/** The name of a user. It cannot contain a colon, because HTTP Basic ends the name at a colon. */
export const usernameSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(/^[\w.@-]+$/, 'must be word characters, dots, hyphens and @ only')
  .refine((name) => !isDotName(name), DOTS_MESSAGE)
  .refine((name) => !RESERVED_NAMES.has(name), 'is a reserved name of the audit trail: choose another one');

export const groupSchema = z
  .string()
  .max(NAME_LENGTH_MAX)
  .regex(/^[\w.:-]+$/, 'must be word characters, dots, hyphens and colons only')
  .refine((name) => !isDotName(name), DOTS_MESSAGE);

/** A submitted user, with a password or with its hash from a dump. For an existing user, both may be missing. */
export const submittedUserSchema = z
  .looseObject({
    username: usernameSchema,
    password: passwordSchema.nullish(),
    password_hash: bcryptHashSchema.nullish(),
    groups: z.array(groupSchema).max(GROUPS_MAX).nullish(),
    disabled: z.boolean().nullish(),
  })
  .refine(({ password, password_hash: hash }) => !(password && hash), 'set either password or password_hash, not both');
export type SubmittedUser = z.infer<typeof submittedUserSchema>;

/** Body of `PUT /users/NAME/password` and of `reset_password`: the password that an administrator sets, or its hash. */
export const submittedPasswordSchema = z
  .looseObject({ password: passwordSchema.nullish(), password_hash: bcryptHashSchema.nullish() })
  .refine(
    ({ password, password_hash: hash }) => Boolean(password) !== Boolean(hash),
    'exactly one of password and password_hash is required',
  );
export type SubmittedPassword = z.infer<typeof submittedPasswordSchema>;

/**
 * Body of `PUT /users/NAME/password` as `sensuctl` sends it: the current password, which may violate the rules for new
 * passwords, and the hash of the new one.
 */
export const changedPasswordSchema = z.looseObject({
  password: z.string().min(1, 'the current password is required').max(PASSWORD_LENGTH_MAX),
  password_hash: bcryptHashSchema,
});
export type ChangedPassword = z.infer<typeof changedPasswordSchema>;

/** A user as administrators and the user see it. */
export interface V2User {
  readonly username: string;
  /** Groups of the user; absent if there are none. */
  readonly groups?: readonly string[];
  readonly disabled: boolean;
}
