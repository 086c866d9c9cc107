import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { Stats } from 'node:fs';
import { isAlternativeName, unnamedProblem } from '../domain/plan/certificate-names.ts';
import { MonError } from '../errors.ts';
import { pemCertificates } from './authorities.ts';
import { alternativeNames, commonName } from './certificate.ts';
import { readTlsFile } from './read-file.ts';
import { readersOfSecretFile } from './secret-file.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** Paths of a certificate file and its key file, by the names of the settings. */
export interface PairFiles {
  /** Path of the certificate, followed in the file by its intermediate certificates. */
  readonly 'cert-file': string;
  readonly 'key-file': string;
}

/** A certificate and its private key as PEM, after validation. */
export interface KeyPair {
  readonly cert: string;
  /** SHA-256 fingerprint of the certificate, as `AB:CD:...`. */
  readonly fingerprint: string;
  readonly key: string;
  /** Warnings for operators about problems that do not prevent the use of the certificate. */
  readonly warnings: readonly string[];
}

/**
 * Reads and validates a certificate and its private key.
 *
 * @param options `section`: prefix of the setting names in messages, with a trailing dot (`tls.`); `isOfServer`: true
 *   if clients verify a name in the certificate
 * @throws MonError `invalid` with the remedy, if the two files cannot be used
 */
export function readKeyPair(
  files: PairFiles,
  { section, nowMs, isOfServer }: { readonly section: string; readonly nowMs: number; readonly isOfServer: boolean },
): KeyPair {
  const { 'cert-file': certFile, 'key-file': keyFile } = files;
  const [cert, certificate] = readTlsFile(certFile, `${section}cert-file`, (text) => {
    if (pemCertificates(text).length === 0) throw new Error('the file contains no PEM certificate');
    return [text, new X509Certificate(text)] as const;
  });
  const { key, pem, warning } = readTlsFile(keyFile, `${section}key-file`, readKey);
  if (!certificate.checkPrivateKey(key)) {
    throw new MonError(
      'invalid',
      `${keyFile} is not the private key of the certificate ${certFile}: set a certificate and its key in ${section}cert-file and ${section}key-file`,
    );
  }
  const warnings = [...timeWarnings(certificate, nowMs), ...(isOfServer ? nameWarnings(certificate) : [])].map(
    (text) => `${certFile} ${text}`,
  );
  const { fingerprint256: fingerprint } = certificate;
  return {
    cert,
    key: pem,
    fingerprint,
    warnings: warning === undefined ? warnings : [...warnings, `${keyFile} ${warning}`],
  };
}

/** Returns warnings about the validity period of a certificate, at the time `nowMs`. */
export function ageWarnings(certFile: string, cert: string, nowMs: number): string[] {
  return timeWarnings(new X509Certificate(cert), nowMs).map((text) => `${certFile} ${text}`);
}

function readKey(
  pem: string,
  stats: Stats,
): { readonly key: KeyObject; readonly pem: string; readonly warning?: string } {
  if (/ENCRYPTED/.test(pem)) {
    throw new Error(
      'the key is encrypted, and a passphrase cannot be entered: write the key without a passphrase, mode 0600 (openssl pkey -in FILE -out NEW)',
    );
  }
  const warning = readersOfSecretFile(stats);
  const key = parseKey(pem);
  return warning === undefined ? { key, pem } : { key, pem, warning };
}

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error('the file contains no PEM private key', { cause });
  }
}

function timeWarnings({ validFromDate: from, validToDate: to }: X509Certificate, nowMs: number): string[] {
  if (nowMs > to.getTime()) return [`has expired on ${dayOf(to)} and is rejected: renew it`];
  if (nowMs < from.getTime()) return [`is not valid before ${from.toISOString()} and is rejected: check the clock`];
  const days = Math.floor((to.getTime() - nowMs) / DAY_MS);
  return days < SOON_DAYS ? [`expires on ${dayOf(to)}, in ${String(days)} days: renew it`] : [];
}

function nameWarnings(certificate: X509Certificate): string[] {
  const [name, names] = [commonName(certificate), alternativeNames(certificate)];
  if (name === null || isAlternativeName(name, names)) return [];
  return [`will be rejected by clients: its ${unnamedProblem(name, names)}; have it issued again with that name`];
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
