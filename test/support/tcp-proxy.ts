/** A TCP proxy that can take the server behind it away and give it back. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

export type TcpProxy = Awaited<ReturnType<typeof createTcpProxy>>;

const HOST = '127.0.0.1';

/** @param watch makes for each connection what sees its client's bytes */
export async function createTcpProxy(first: ProxyTarget, watch?: () => (sent: Buffer) => void) {
  let target = first;
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let server: Server | undefined;
  let trap: { readonly text: RegExp; spring(): void } | undefined;

  /** Connections stay open, new ones are taken, but nothing passes any more. */
  function freeze(): void {
    isFrozen = true;
    for (const socket of sockets) socket.unpipe();
  }

  /** Lets answers through until the trap springs; a text cut in two by the network is missed. */
  const watched = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (trap?.text.test(chunk.toString('latin1'))) {
          freeze();
          trap.spring();
          trap = undefined;
        }
        done(null, isFrozen ? undefined : chunk);
      },
    });

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
    if (watch !== undefined) client.on('data', watch());
    client.pipe(upstream);
    upstream.pipe(watched()).pipe(client);
  }

  async function listen(port: number): Promise<number> {
    const made = createServer(join);
    await new Promise<void>((resolve, reject) => made.once('error', reject).listen(port, HOST, resolve));
    server = made;
    return (made.address() as AddressInfo).port;
  }

  /** Cuts every connection and refuses new ones. */
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
    freeze,
    /** Freezes when the server's next answer that holds this text comes in, which does not pass any more; resolves then. */
    freezeOn: (text: string | RegExp) =>
      new Promise<void>((resolve) => {
        trap = { text: new RegExp(text, 's'), spring: resolve };
      }),
    /** New connections go there; those that are open stay with the server they have. */
    redirect(next: ProxyTarget) {
      target = next;
    },
    async restore() {
      isFrozen = false;
      // What was frozen lost bytes on the way; nobody can continue with it.
      await cut();
      await listen(port);
    },
    close: cut,
  };
}
