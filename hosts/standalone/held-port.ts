/** The port of a host while it starts. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Takes a port before anything else is done. A start that cannot listen must not run jobs, or make a token that is shown only
 * once. Connections are ended at once until the port is released. Returns a function that releases it, so that the application can listen.
 * @throws the error of `listen` if it cannot be had
 */
export async function holdPort(port: number, host: string): Promise<() => Promise<void>> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ port, host });
  await once(server, 'listening');
  // A start that fails leaves it: it must not keep the process.
  server.unref();
  return () => server[Symbol.asyncDispose]();
}
