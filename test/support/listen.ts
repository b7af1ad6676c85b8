import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

export interface Listening extends AsyncDisposable {
  readonly port: number;
  /** Without a path; `http` whatever the server speaks. */
  readonly url: string;
  /** Cuts all connections. */
  close(): Promise<void>;
}

/** Lets a server listen on loopback, on a free port unless told. */
export async function listen(server: Server, address = '127.0.0.1', at = 0): Promise<Listening> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  // A socket of TLS does not notice that the one below it is destroyed.
  server.on('connection', keep).on('secureConnection', keep);
  server.listen(at, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of [...sockets].reverse()) socket.destroy();
    });
  return { port, url: `http://${address}:${port}`, close, [Symbol.asyncDispose]: close };
}
