import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { vi } from 'vitest';
import { programArguments } from './built-programs.ts';
import { freePort } from '../../scripts/lib/free-port.ts';

const PROGRAMS = ['mon', 'monctl', 'mon-agent', 'mon-backend'] as const;

/** Matches the slash at the beginning of a path in a system directory; the test replaces it by its own directory. */
const SYSTEM_PATH = /(?<![\w.})])\/(?=(?:etc|var|srv)\/)/g;

/** Replacements for texts of a documentation page. */
type Places = Readonly<Record<string, string>>;

/** Escapes a text for a regular expression that matches exactly this text. */
function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/**
 * A shell that runs the commands of a documentation page, one block after the other. It has its own home directory, all
 * programs in its PATH, and a free port for a backend. Disposing of it kills all its processes.
 */
export class DocumentedShell implements AsyncDisposable {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly #places: Places;
  readonly #shell: ChildProcess;
  #output = '';

  private constructor(home: string, port: number, env: Readonly<Record<string, string>>, places: Places) {
    this.home = home;
    this.env = env;
    this.port = port;
    this.#places = { ...places, '4567': String(port) };
    // The shell gets its own process group, so that its background processes can be killed with it.
    this.#shell = spawn('bash', [], { cwd: home, env: { ...env }, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    }
  }

  /**
   * Starts a shell in a new home directory.
   *
   * @param places replacements in addition to the port 4567 and the system directories
   * @param variables additional environment variables
   */
  static async open(places: Places = {}, variables: Readonly<Record<string, string>> = {}): Promise<DocumentedShell> {
    const home = await mkdtemp(join(tmpdir(), 'mon-test-'));
    const port = await freePort();
    const bin = join(home, '.bin');
    await mkdir(bin);
    await mkdir(join(home, '.run'));
    for (const name of PROGRAMS) {
      const call = [process.execPath, ...programArguments(name)].join(' ');
      await writeFile(join(bin, name), `#!/bin/sh\nexec ${call} "$@"\n`, { mode: 0o755 });
    }
    const backend = `http://127.0.0.1:${String(port)}`;
    return new DocumentedShell(
      home,
      port,
      {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        HOME: home,
        USER: 'ada',
        XDG_RUNTIME_DIR: join(home, '.run'),
        MON_PORT: String(port),
        MON_BACKEND: backend,
        MON_AGENT_BACKEND: backend,
        ...variables,
      },
      places,
    );
  }

  /** Replaces the port, the system directories and the other texts of a page by those of this shell. */
  placed(text: string): string {
    const here = text.replaceAll(SYSTEM_PATH, `${this.home}/`);
    // A single pass, because a replacement may contain the text of another one, such as a port of the digits 4567.
    const pattern = new RegExp(Object.keys(this.#places).map(escapePattern).join('|'), 'g');
    return here.replaceAll(pattern, (there) => this.#places[there] ?? there);
  }

  /** Runs a block of commands until it ends, and returns its exit code and output. */
  async run(commands: string): Promise<CommandResult> {
    const end = randomUUID();
    this.#output = '';
    this.#shell.stdin?.write(`${this.placed(commands)}\necho "${end} $?"\n`);
    const pattern = new RegExp(`${end} (\\d+)\n`);
    const code = await vi.waitFor(() => {
      const [, status] = pattern.exec(this.#output) ?? [];
      if (status === undefined) throw new Error(`this does not end:\n${commands}\n${this.#output}`);
      return Number(status);
    });
    return { code, output: this.#output.replace(pattern, '') };
  }

  /** Runs a block of commands repeatedly until its exit code is 0. */
  async until(commands: string): Promise<void> {
    await vi.waitFor(async () => {
      const { code, output } = await this.run(commands);
      if (code !== 0) throw new Error(`${commands}: ${output}`);
    });
  }

  /**
   * Writes a file to the current directory of the shell, or to an absolute path after its replacement. The text is
   * replaced as well.
   *
   * @returns the path of the file
   */
  async write(file: string, text: string): Promise<string> {
    const { output } = await this.run('pwd');
    const path = isAbsolute(file) ? this.placed(file) : join(output.trim(), file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, this.placed(text));
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid } = this.#shell;
    const closed = once(this.#shell, 'close');
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    await closed;
    await rm(this.home, { recursive: true, force: true });
  }
}
