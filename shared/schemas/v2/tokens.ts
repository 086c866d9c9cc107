import { z } from 'zod';

/** Longest token that is looked at, characters: clients may show one of a backend that was here before. */
const TOKEN_LENGTH_MAX = 8192;

/** Body of `POST /auth/token` and `POST /auth/logout`; the access token comes in the header. */
export const refreshTokenSchema = z.looseObject({ refresh_token: z.string().max(TOKEN_LENGTH_MAX).nullish() });

/** What is read of an access token here; the rest of its claims is for its holder. */
export const accessClaimsSchema = z.looseObject({ jti: z.string().max(255) });

/** The answer to `GET /auth` and `POST /auth/token` (clients 6). */
export interface V2Tokens {
  readonly access_token: string;
  /** When the access token ends, epoch seconds. */
  readonly expires_at: number;
  readonly refresh_token: string;
}
