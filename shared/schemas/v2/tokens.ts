import { z } from 'zod';

/** Maximum length of a token in characters. Clients may send a token of a Sensu Go backend that this one replaced. */
const TOKEN_LENGTH_MAX = 8192;

/** Body of `POST /auth/token` and `POST /auth/logout`. The access token is in the header. */
export const refreshTokenSchema = z.looseObject({ refresh_token: z.string().max(TOKEN_LENGTH_MAX).nullish() });

/** The claims of an access token that the backend reads. All other claims are for the client. */
export const accessClaimsSchema = z.looseObject({ jti: z.string().max(255) });

/** The response to `GET /auth` and `POST /auth/token` (clients 6). */
export interface V2Tokens {
  readonly access_token: string;
  /** Expiry of the access token, epoch seconds. */
  readonly expires_at: number;
  readonly refresh_token: string;
}
