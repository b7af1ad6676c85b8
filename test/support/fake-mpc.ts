/**
 * Prover and verifier of MPC-TLS without the cryptography: the prover is a plain TLS client, and tells the verifier what it
 * reveals. Everything around the engine is the same, and takes milliseconds.
 */
import { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { connect as tlsConnect } from 'node:tls';
import type { ByteRange } from '../../core/web-proof/tlsnotary/ranges.ts';
import { sliceRanges } from '../../core/web-proof/tlsnotary/ranges.ts';
import type { ByteChannel, MpcOutput, MpcProver, MpcRequest, MpcVerifier } from '../../plugins/blind-notary/mpc-tls.ts';

/** What the fake prover tells the fake verifier: no hidden byte. */
interface Revealed {
  readonly serverName: string;
  readonly sent: { readonly length: number; readonly ranges: readonly ByteRange[]; readonly hex: string };
  readonly received: { readonly length: number; readonly ranges: readonly ByteRange[]; readonly hex: string };
}

/** @param ca PEM root that servers chain to */
export function createFakeProver(ca: string): MpcProver {
  return {
    async open(serverName) {
      let peer: ByteChannel;
      let transcript: { sent: Uint8Array; received: Uint8Array };
      return {
        failed: new Promise<never>(() => {}),
        async setup(channel) {
          peer = channel;
          await channel.send(Buffer.from('setup\n'));
        },
        async request(request, server) {
          transcript = await exchange(serverName, request, server, ca);
          return transcript;
        },
        async reveal(ranges) {
          const shown = (direction: 'sent' | 'received') => ({
            length: transcript[direction].length,
            ranges: ranges[direction],
            hex: Buffer.from(sliceRanges(transcript[direction], ranges[direction])).toString('hex'),
          });
          const revealed: Revealed = { serverName, sent: shown('sent'), received: shown('received') };
          await peer.send(Buffer.from(JSON.stringify(revealed)));
          await peer.end();
        },
        async close() {},
      };
    },
    async close() {},
  };
}

/**
 * Reports what the fake prover revealed, with zeros for the rest.
 * @param alter what the verifier says instead; it may throw, or never settle
 */
export function createFakeVerifier(
  alter: (output: MpcOutput) => MpcOutput | Promise<MpcOutput> = (output) => output,
): MpcVerifier {
  return {
    async open() {
      return {
        async verify(channel) {
          const parts: Uint8Array[] = [];
          for await (const bytes of channel.incoming) parts.push(bytes);
          await channel.end();
          const text = Buffer.concat(parts)
            .toString('utf8')
            .replace(/^setup\n/, '');
          const { serverName, sent, received }: Revealed = JSON.parse(text);
          const time = Math.floor(Date.now() / 1000);
          return alter({ serverName, time, sent: bytesOf(sent), received: bytesOf(received) });
        },
        async close() {},
      };
    },
    async close() {},
  };
}

function bytesOf({ length, ranges, hex }: Revealed['sent']) {
  const bytes = new Uint8Array(length);
  const pieces = Buffer.from(hex, 'hex');
  let at = 0;
  for (const { start, end } of ranges) {
    bytes.set(pieces.subarray(at, at + end - start), start);
    at += end - start;
  }
  return { bytes, revealed: ranges };
}

async function exchange(serverName: string, request: MpcRequest, server: ByteChannel, ca: string) {
  const socket = new Duplex({
    read() {},
    write: (chunk: Buffer, _encoding, done) => {
      server.send(chunk).then(() => done(), done);
    },
    final: (done) => {
      server.end().then(() => done(), done);
    },
  });
  const pump = (async () => {
    for await (const bytes of server.incoming) socket.push(Buffer.from(bytes));
    socket.push(null);
  })();
  const tls = tlsConnect({
    socket,
    servername: serverName,
    ca,
    maxVersion: 'TLSv1.2',
    ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256',
    ecdhCurve: 'P-256',
  });
  const body = request.body === undefined ? '' : JSON.stringify(request.body);
  // In another order than they were given, as the engine does it.
  const headers = [...request.headers].reverse().map(([name, value]) => `${name}: ${value}\r\n`);
  if (request.body !== undefined) headers.push(`content-length: ${Buffer.byteLength(body)}\r\n`);
  const sent = Buffer.from(`${request.method} ${request.target} HTTP/1.1\r\n${headers.join('')}\r\n${body}`);
  tls.write(sent);
  const received = await buffer(tls);
  await pump;
  return { sent: Uint8Array.from(sent), received: Uint8Array.from(received) };
}
