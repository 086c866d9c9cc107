import { stat } from 'node:fs/promises';
import type { Server as TlsServer, TlsOptions } from 'node:tls';
import { errorMessage } from '../../../shared/errors.ts';
import type { TlsSettings } from '../../../shared/schemas/settings.ts';
import { readAuthorities, type Authorities } from '../../../shared/tls/authorities.ts';
import { ageWarnings, readKeyPair, type KeyPair } from '../../../shared/tls/key-pair.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';
import type { ListenerName, ListenerSettings } from './listeners.ts';

/**
 * Interval in milliseconds at which the certificate files are checked for changes. They are polled, because change
 * notifications are unreliable on mounted file systems and for symbolic links.
 */
const FILE_CHECK_MS = 10_000;

/** Interval in milliseconds at which a warning is logged if a certificate has expired or expires soon. */
const AGE_MS = 86_400_000;

interface TlsDependencies {
  readonly clock: Clock;
  readonly log: Log;
}

/** TLS settings, and the prefix of their names in the configuration. */
interface SectionTls {
  readonly tls: TlsSettings;
  readonly section: string;
}

interface TlsMaterial {
  readonly pair: KeyPair;
  readonly authorities: Authorities | undefined;
}

/**
 * The certificate and key of a listener, and the certificate authorities for its clients. If their files change, new
 * connections use the new contents, and open connections stay open. Invalid files are logged and ignored.
 */
export class ServerTls implements Disposable {
  readonly #settings: TlsSettings;
  readonly #section: string;
  readonly #dependencies: TlsDependencies;
  readonly #servers = new Set<TlsServer>();
  readonly #timers: readonly Disposable[];
  #material: TlsMaterial;
  /** Metadata of the files at the last check for changes; undefined before the first check. */
  #seenMetadata: string | undefined;
  #isChecking = false;
  #version = 0;

  /** @throws MonError `invalid` if the certificate, key or certificate authorities cannot be read or used */
  constructor({ tls, section }: SectionTls, dependencies: TlsDependencies) {
    this.#settings = tls;
    this.#section = section;
    this.#dependencies = dependencies;
    this.#material = this.#read();
    for (const warning of this.#material.pair.warnings) dependencies.log.warn({}, warning);
    this.#timers = [
      dependencies.clock.every(FILE_CHECK_MS, () => void this.#checkFiles()),
      dependencies.clock.every(AGE_MS, () => this.#warnOfAge()),
    ];
  }

  /** The options with which a TLS server is created. */
  get options(): TlsOptions {
    return {
      ...this.#context,
      // A client certificate is requested but not required, because clients can use a key or a password instead. A
      // client with an invalid certificate gets an HTTP response that says so.
      requestCert: this.#material.authorities !== undefined,
      rejectUnauthorized: false,
    };
  }

  /** SHA-256 fingerprint of the server certificate. */
  get fingerprint(): string {
    return this.#material.pair.fingerprint;
  }

  /** SHA-256 fingerprints of the certificate authorities whose client certificates are accepted. */
  get authorities(): readonly string[] {
    return this.#material.authorities?.fingerprints ?? [];
  }

  /** A number that increases whenever the certificate, the key or the certificate authorities change. */
  get version(): number {
    return this.#version;
  }

  /** Registers a TLS server. Until it is closed, its certificate is replaced whenever the files change. */
  serve(server: TlsServer): void {
    this.#servers.add(server);
    server.once('close', () => this.#servers.delete(server));
  }

  /** Reads the files again. If their contents are valid and have changed, new connections use them. */
  reload(): void {
    const { log } = this.#dependencies;
    let next: TlsMaterial;
    try {
      next = this.#read();
    } catch (error) {
      log.error({ reason: errorMessage(error) }, 'new certificate is invalid: the previous certificate stays in use');
      return;
    }
    if (isSameMaterial(next, this.#material)) return;
    const before = this.#material;
    this.#material = next;
    try {
      for (const server of this.#servers) server.setSecureContext(this.#context);
    } catch (error) {
      this.#material = before;
      log.error({ reason: errorMessage(error) }, 'new certificate is invalid: the previous certificate stays in use');
      return;
    }
    this.#version++;
    log.info({ cert_file: this.#settings['cert-file'] }, 'new certificate is now in use');
    for (const warning of next.pair.warnings) log.warn({}, warning);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  get #context(): TlsOptions {
    const { pair, authorities } = this.#material;
    return {
      cert: pair.cert,
      key: pair.key,
      ...(authorities === undefined ? {} : { ca: authorities.pem }),
      minVersion: 'TLSv1.2',
    };
  }

  #read(): TlsMaterial {
    return readMaterial({ tls: this.#settings, section: this.#section }, this.#dependencies.clock.now());
  }

  #warnOfAge(): void {
    const { clock, log } = this.#dependencies;
    const { pair } = this.#material;
    for (const warning of ageWarnings(this.#settings['cert-file'], pair.cert, clock.now())) log.warn({}, warning);
  }

  async #checkFiles(): Promise<void> {
    // Only one check runs at a time, because a file system can hang.
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { 'cert-file': cert, 'key-file': key, 'client-ca-file': authorities } = this.#settings;
    const files = [cert, key, ...(authorities === undefined ? [] : [authorities])];
    const seen = (await Promise.all(files.map(fileStamp))).join(' ');
    this.#isChecking = false;
    // The first check always reloads the files, because they can have changed since the constructor read them.
    if (seen === this.#seenMetadata) return;
    this.#seenMetadata = seen;
    this.reload();
  }
}

/** The certificates of all listeners. Listeners with the same TLS settings share one `ServerTls`. */
export class ListenersTls implements Disposable {
  readonly #bySettings = new Map<TlsSettings, ServerTls>();
  readonly #listeners: readonly ListenerSettings[];

  /** @throws MonError `invalid` if the files of a listener cannot be used */
  constructor(listeners: readonly ListenerSettings[], parts: TlsDependencies) {
    this.#listeners = listeners;
    try {
      for (const { tls, section } of listeners) {
        if (tls !== undefined && !this.#bySettings.has(tls)) {
          this.#bySettings.set(tls, new ServerTls({ tls, section }, parts));
        }
      }
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Returns the certificate of a listener; undefined if the listener uses plain HTTP. */
  tlsOfListener(name: ListenerName): ServerTls | undefined {
    const tls = this.#listeners.find((listener) => listener.name === name)?.tls;
    return tls === undefined ? undefined : this.#bySettings.get(tls);
  }

  /** SHA-256 fingerprints of all certificate authorities that at least one listener accepts for client certificates. */
  get authorities(): readonly string[] {
    return this.#all.flatMap(({ authorities }) => authorities);
  }

  get version(): number {
    return this.#all.reduce((sum, { version }) => sum + version, 0);
  }

  reload(): void {
    for (const one of this.#all) one.reload();
  }

  [Symbol.dispose](): void {
    for (const one of this.#all) one[Symbol.dispose]();
  }

  get #all(): readonly ServerTls[] {
    return [...this.#bySettings.values()];
  }
}

/**
 * Returns warnings about the certificates of listeners, for example that a certificate expires soon.
 *
 * @throws MonError `invalid` if the files of a listener cannot be used
 */
export function tlsWarnings(listeners: readonly ListenerSettings[], nowMs: number): string[] {
  const warnings = listeners.flatMap(({ tls, section }) =>
    tls === undefined ? [] : readMaterial({ tls, section }, nowMs).pair.warnings,
  );
  return [...new Set(warnings)];
}

function readMaterial({ tls, section }: SectionTls, nowMs: number): TlsMaterial {
  const file = tls['client-ca-file'];
  return {
    pair: readKeyPair(tls, { section, nowMs, isOfServer: true }),
    authorities: file === undefined ? undefined : readAuthorities(file, `${section}client-ca-file`),
  };
}

/** Returns a text that changes when the file is changed, replaced or deleted. */
async function fileStamp(file: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(file);
    return [ino, size, mtimeMs, ctimeMs].join(':');
  } catch {
    return 'none';
  }
}

function isSameMaterial(one: TlsMaterial, other: TlsMaterial): boolean {
  return (
    one.pair.cert === other.pair.cert &&
    one.pair.key === other.pair.key &&
    one.authorities?.pem === other.authorities?.pem
  );
}
