import { z } from 'zod';
import { NAME_LENGTH_MAX } from '../name.ts';
import { assetNameSchema } from './asset-name.ts';
import { textListSchema } from './check.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';

const BUILDS_MAX = 100;

const urlSchema = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s/]/i, 'must be an address that begins with http:// or https://');

/** The SHA-512 checksum of an archive, in hexadecimal digits. */
const sha512Schema = z.string().regex(/^[0-9a-f]{128}$/i, 'must be the SHA-512 of the archive, 128 hexadecimal digits');

const headersSchema = z.record(z.string().max(NAME_LENGTH_MAX), z.string().max(8192)).nullish();

const buildSchema = z.looseObject({
  url: urlSchema.describe('URL of the archive.'),
  sha512: sha512Schema.describe('SHA-512 checksum of the archive, as 128 hexadecimal digits.'),
  filters: textListSchema.describe('Expressions about the host of the agent. All must be true for this build.'),
  headers: headersSchema.describe('HTTP headers of the download.'),
});

/**
 * An asset of the v2 API: the URL of an archive with programs for agents, and the checksum with which agents verify it.
 * An asset has either one archive or a list of builds.
 */
export const v2AssetSchema = z
  .looseObject({
    metadata: metadataSchema(assetNameSchema),
    url: z.string().nullish().meta({
      description: 'URL of the archive, with `http` or `https`. Required unless `builds` is set.',
      'x-v1': 'none',
    }),
    sha512: z.string().nullish().meta({
      description: 'SHA-512 checksum of the archive, as 128 hexadecimal digits. Required with `url`.',
      'x-v1': 'none',
    }),
    filters: textListSchema.meta({
      description:
        'Expressions about the host of the agent. All must be true, or the agent does not install the asset.',
      'x-v1': 'none',
    }),
    headers: headersSchema.meta({ description: 'HTTP headers of the download.', 'x-v1': 'none' }),
    builds: z.array(buildSchema).max(BUILDS_MAX).nullish().meta({
      description: 'Archives for different hosts. The agent installs the first whose `filters` are true.',
      'x-v1': 'none',
    }),
  })
  .superRefine(({ url, sha512, builds }, context) => {
    if ((builds ?? []).length > 0) return;
    const parts = { url: urlSchema.safeParse(url ?? ''), sha512: sha512Schema.safeParse(sha512 ?? '') };
    for (const [name, { error }] of Object.entries(parts)) {
      if (error === undefined) continue;
      context.addIssue({ code: 'custom', message: error.issues[0]?.message ?? 'is wrong', path: [name] });
    }
  });

export type SubmittedV2Asset = z.infer<typeof v2AssetSchema>;
export type V2Asset = StoredV2Object<SubmittedV2Asset>;
