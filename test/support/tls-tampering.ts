/** A TCP proxy on loopback in front of a TLS origin that changes what goes through. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';
import { ORIGIN_NAME, type TlsOrigin } from './tls-origin.ts';

type Change = (record: Uint8Array) => Uint8Array;

const RECORD_HEADER = 5;

/** Each change sees one TLS record at a time, header included, and returns what is passed on. */
export async function startTampering(
  origin: Pick<TlsOrigin, 'port'>,
  changes: { readonly fromClient?: Change; readonly fromServer?: Change },
) {
  const server = createServer((client) => {
    const target = connect(origin.port, '127.0.0.1');
    pipeRecords(client, target, changes.fromClient);
    pipeRecords(target, client, changes.fromServer);
    // Either side may leave early.
    for (const socket of [client, target]) socket.on('error', () => {});
    client.once('close', () => target.destroy());
  });
  const { port, close } = await listen(server);
  return { url: `https://${ORIGIN_NAME}:${port}/`, [Symbol.asyncDispose]: close };
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
