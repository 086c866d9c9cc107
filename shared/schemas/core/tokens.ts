import { z } from 'zod';

/** Body of `POST /auth/token` and `POST /auth/logout`; the access token comes in the header. */
export const refreshTokenSchema = z.looseObject({ refresh_token: z.string().min(1).max(256) });

/** The answer to `GET /auth` and `POST /auth/token` (clients, section 6). */
export interface CoreTokens {
  readonly access_token: string;
  /** When the access token ends, epoch seconds. */
  readonly expires_at: number;
  readonly refresh_token: string;
}
