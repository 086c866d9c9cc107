import { z } from 'zod';

const FINGERPRINT_FORMAT = /^[0-9a-fA-F]{2}(?::?[0-9a-fA-F]{2}){31}$/;

/**
 * A rule of the setting `certificate-namespaces`. The rule applies to certificates that match all of its attributes.
 */
export const certificateRuleSchema = z
  .strictObject({
    authority: z
      .string()
      .regex(
        FINGERPRINT_FORMAT,
        'must be the SHA-256 fingerprint of a certificate: openssl x509 -noout -fingerprint -sha256 -in FILE',
      )
      .exactOptional()
      .describe('SHA-256 fingerprint of an authority in the chain of the certificate.'),
    organization: z.string().min(1).max(255).exactOptional().describe('`O` in the subject.'),
    'organizational-unit': z.string().min(1).max(255).exactOptional().describe('`OU` in the subject.'),
    namespaces: z.array(z.string().min(1).max(255)).min(1).max(1000).describe('Namespaces of such agents.'),
  })
  .refine(
    (rule) =>
      rule.authority !== undefined || rule.organization !== undefined || rule['organizational-unit'] !== undefined,
    'must contain authority, organization or organizational-unit',
  );
export type CertificateRule = z.infer<typeof certificateRuleSchema>;
