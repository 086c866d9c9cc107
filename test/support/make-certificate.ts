import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate for a test and its private key, both as PEM. */
export interface MadeCertificate {
  readonly name: string;
  readonly cert: string;
  readonly key: string;
}

interface CertificateOptions {
  /** Host names and IP addresses for the Subject Alternative Names. */
  readonly names?: readonly string[];
  /** The certificate authority that signs the certificate; default: the certificate is self-signed. */
  readonly issuer?: MadeCertificate;
  /** Organization (`O`) in the subject of the certificate. */
  readonly organization?: string;
  /** True if the certificate may sign other certificates. */
  readonly isAuthority?: boolean;
  /** Start of the validity, by default an hour ago; `until` is the end, by default in 60 days. */
  readonly from?: Date;
  readonly until?: Date;
}

const HOUR_MS = 3_600_000;

/** Creates a certificate with a new key. This takes about a millisecond. */
export function makeCertificate(name: string, options: CertificateOptions = {}): MadeCertificate {
  const { names = [], isAuthority = false, from = hoursFromNow(-1), until = hoursFromNow(24 * 60) } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = options.issuer === undefined ? { name, key: privateKey } : withKey(options.issuer);
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.from([1, ...randomBytes(8)])),
    ECDSA_WITH_SHA256,
    nameOf(issuer.name),
    sequence(time(from), time(until)),
    nameOf(name, options.organization),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions(names, isAuthority))),
  );
  const signature = sign('sha256', body, issuer.key);
  const der = sequence(body, ECDSA_WITH_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines =
    der
      .toString('base64')
      .match(/.{1,64}/g)
      ?.join('\n') ?? '';
  return {
    name,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Returns the private key as PEM, encrypted with the passphrase `secret`. */
export function encryptedKey({ key }: MadeCertificate): string {
  const passphrase = 'secret';
  return createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }).toString();
}

export function hoursFromNow(hours: number): Date {
  return new Date(Date.now() + hours * HOUR_MS);
}

function withKey({ name, key }: MadeCertificate): { readonly name: string; readonly key: KeyObject } {
  return { name, key: createPrivateKey(key) };
}

function extensions(names: readonly string[], isAuthority: boolean): Buffer[] {
  const found = [];
  if (names.length > 0) found.push(sequence(OID.alternativeNames, octets(sequence(...names.map(alternativeName)))));
  if (isAuthority) found.push(sequence(OID.basicConstraints, TRUE, octets(sequence(TRUE))));
  // An empty list of extensions is invalid, so a certificate without others gets this one.
  if (found.length === 0) found.push(sequence(OID.basicConstraints, octets(sequence())));
  return found;
}

function alternativeName(name: string): Buffer {
  return isIPv4(name) ? tagged(0x87, Buffer.from(name.split('.').map(Number))) : tagged(0x82, Buffer.from(name));
}

/** Returns the DER form of a name with a Common Name, and with an organization if one is given. */
function nameOf(name: string, organization?: string): Buffer {
  const part = (oid: Buffer, text: string): Buffer => tagged(0x31, sequence(oid, tagged(0x0c, Buffer.from(text))));
  const common = part(OID.commonName, name);
  return organization === undefined ? sequence(common) : sequence(part(OID.organization, organization), common);
}

/** Returns a time as GeneralizedTime, which can represent every year. */
function time(date: Date): Buffer {
  return tagged(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`));
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function octets(content: Buffer): Buffer {
  return tagged(0x04, content);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

/** Returns a DER element: the tag, the length and the content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const TRUE = Buffer.from([0x01, 0x01, 0xff]);
const OID = {
  commonName: Buffer.from([0x06, 0x03, 0x55, 0x04, 0x03]),
  organization: Buffer.from([0x06, 0x03, 0x55, 0x04, 0x0a]),
  alternativeNames: Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x11]),
  basicConstraints: Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x13]),
};
const ECDSA_WITH_SHA256 = Buffer.from([0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]);
