/** A TCP proxy that can take the server behind it away and give it back. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Cuts every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Connections stay open, new ones are taken, but nothing passes any more. */
  freeze(): void;
  restore(): Promise<void>;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

export async function createTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let server: Server | undefined;

  function join(client: Socket): void {
    sockets.add(client);
    client.on('error', () => undefined);
    client.on('close', () => sockets.delete(client));
    if (isFrozen) return;
    const upstream = connect(target);
    sockets.add(upstream);
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => {
      sockets.delete(upstream);
      client.destroy();
    });
    client.on('close', () => upstream.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
  }

  async function listen(port: number): Promise<number> {
    const made = createServer(join);
    await new Promise<void>((resolve, reject) => made.once('error', reject).listen(port, HOST, resolve));
    server = made;
    return (made.address() as AddressInfo).port;
  }

  async function cut(): Promise<void> {
    const closing = server;
    server = undefined;
    const closed = new Promise<void>((resolve) => (closing ? closing.close(() => resolve()) : resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  const port = await listen(0);
  return {
    port,
    cut,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe();
    },
    async restore() {
      isFrozen = false;
      // What was frozen lost bytes on the way; nobody can go on with it.
      await cut();
      await listen(port);
    },
    close: cut,
  };
}
