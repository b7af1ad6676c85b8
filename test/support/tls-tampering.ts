/** A TCP proxy on loopback in front of a TLS origin that changes what goes through. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { ORIGIN_NAME, type TlsOrigin } from './tls-origin.ts';

type Change = (record: Uint8Array) => Uint8Array;

export interface Tampering extends AsyncDisposable {
  readonly url: string;
}

const RECORD_HEADER = 5;

/** Each change sees one TLS record at a time, header included, and returns what is passed on. */
export async function startTampering(
  origin: Pick<TlsOrigin, 'port'>,
  changes: { readonly fromClient?: Change; readonly fromServer?: Change },
): Promise<Tampering> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(origin.port, '127.0.0.1');
    pipeRecords(client, target, changes.fromClient);
    pipeRecords(target, client, changes.fromServer);
    for (const socket of [client, target]) {
      sockets.add(socket);
      // Either side may leave early.
      socket.on('error', () => {});
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://${ORIGIN_NAME}:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function pipeRecords(from: Socket, to: Socket, change: Change = (record) => record): void {
  let pending = Buffer.alloc(0);
  from.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= RECORD_HEADER) {
      const end = RECORD_HEADER + pending.readUInt16BE(3);
      if (pending.length < end) return;
      to.write(change(pending.subarray(0, end)));
      pending = pending.subarray(end);
    }
  });
  from.on('end', () => to.end());
}
