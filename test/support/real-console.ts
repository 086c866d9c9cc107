import { join } from 'node:path';
import { builtProgram } from './built-programs.ts';
import { SCENE, SCENE_STATS } from './console-scene.ts';
import { startFeedServer, type FeedServer } from './feed-server.ts';
import { Pty } from './pty.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Starts the built console program in a pseudo-terminal. */
export function startConsole(options: readonly string[], env: Readonly<Record<string, string>> = {}): Pty {
  return new Pty(process.execPath, [builtProgram('mon'), ...options], { cwd: ROOT, env: { USER: 'alice', ...env } });
}

/** Starts a simulated backend with the events of the common scene; it accepts every bulk request. */
export function startSceneBackend(): Promise<FeedServer> {
  return startFeedServer({
    onSubscribe: (connection) =>
      connection.send(
        { type: 'snapshot', seq: 1, rows: SCENE },
        { type: 'live', seq: 1 },
        { type: 'stats', time: Date.now(), stats: SCENE_STATS },
      ),
    http: (request, response) => {
      if (request.url !== '/api/mon/v1/bulk') return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"results":[{"ok":true}]}');
    },
  });
}
