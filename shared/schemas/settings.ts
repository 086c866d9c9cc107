import { z } from 'zod';

/** The backend's listener, unless the configuration or a flag says otherwise. Loopback: opening up is a decision. */
const API_DEFAULTS = { bind: '127.0.0.1', port: 4567 } as const;

/** The `api` section of a configuration (completion 1.1). Unknown attributes are kept and do nothing. */
export const apiSettingsSchema = z
  .looseObject({
    bind: z.string().min(1).default(API_DEFAULTS.bind),
    /** 0: any free port. */
    port: z.int().min(0).max(65_535).default(API_DEFAULTS.port),
    user: z.string().min(1).optional(),
    password: z.string().min(1).optional(),
    /** Header name to value, in place of the default CORS headers; false: none at all. */
    cors: z
      .union([z.record(z.string(), z.string()), z.literal(false)], 'expected an object of headers, or false')
      .optional(),
  })
  .superRefine((api, context) => {
    // Half a pair of credentials would leave the API open although somebody meant to close it.
    const missing = api.user === undefined ? 'user' : 'password';
    const given = missing === 'user' ? 'password' : 'user';
    if (api[given] !== undefined && api[missing] === undefined) {
      context.addIssue({ code: 'custom', path: [missing], message: `is required with ${given}` });
    }
  });

export type ApiSettings = z.infer<typeof apiSettingsSchema>;
