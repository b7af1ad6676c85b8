import { createServer } from 'node:net';

/** Below the ports that systems give to connections and to servers that ask for any. */
const [FIRST, LAST] = [10_000, 29_999];
const MOST_TRIES = 100;

/**
 * A port for a server that cannot choose one itself. Nobody is given it in between by chance: a server that asks for any port gets
 * a higher one.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
  throw new Error('There is no free port.');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
