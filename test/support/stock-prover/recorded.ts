/** A real session of a stock prover with the official verifier, recorded: the messages of its main stream, without the cryptography's. */
import { setTimeout as sleep } from 'node:timers/promises';
import { blake3 } from '../../../core/web-proof/tlsnotary/blake3.ts';
import type { MpcOutput, MpcVerifier } from '../../../plugins/blind-notary/mpc-tls.ts';
import type { SessionMessage } from '../../../plugins/blind-notary/stock/session-messages.ts';
import recording from './recorded-session.json' with { type: 'json' };

/** Of the transcript. */
export const RECORDED_LENGTHS = recording.lengths;

export const RECORDED: readonly SessionMessage[] = recording.messages.map(({ from, length, hex }) => ({
  from: from as SessionMessage['from'],
  length,
  bytes: hex === null ? null : Uint8Array.from(Buffer.from(hex, 'hex')),
}));

export const MAIN = 1;
/** What a stream of the multiplexer begins with: the name of the main one. */
export const MAIN_NAME = blake3(Uint8Array.of(1));
export const TYPE = { data: 0, window: 1, ping: 2, goAway: 3 } as const;
export const BEGIN = 1;

/** A frame of the multiplexer. */
export function frame(type: number, stream: number, payload: Uint8Array | number, flags = 0): Buffer {
  const body = typeof payload === 'number' ? new Uint8Array() : payload;
  const header = Buffer.alloc(12);
  header.writeUInt8(type, 1);
  header.writeUInt16BE(flags, 2);
  header.writeUInt32BE(stream, 4);
  header.writeUInt32BE(typeof payload === 'number' ? payload : body.length, 8);
  return Buffer.concat([header, body]);
}

/** A message as the main stream carries it; bytes that were not recorded are zero. */
export function framed({ length, bytes }: SessionMessage): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length);
  return frame(TYPE.data, MAIN, Buffer.concat([head, bytes ?? new Uint8Array(length)]));
}

export const OPENING = Buffer.concat([
  frame(TYPE.ping, 0, 7, BEGIN),
  frame(TYPE.data, MAIN, MAIN_NAME, BEGIN),
  // The prover takes a large message.
  frame(TYPE.window, MAIN, 1 << 20),
]);
export const GOODBYE = frame(TYPE.goAway, 0, 0);

/** The messages in the order in which they were sent, in runs of one sender. */
export function runsOf(messages: readonly SessionMessage[]): { from: SessionMessage['from']; bytes: Buffer }[] {
  const runs: { from: SessionMessage['from']; bytes: Buffer }[] = [];
  for (const message of messages) {
    const last = runs.at(-1);
    if (last?.from === message.from) last.bytes = Buffer.concat([last.bytes, framed(message)]);
    else runs.push({ from: message.from, bytes: framed(message) });
  }
  return runs;
}

/**
 * Says its part of the recording when the prover has said its own, and accepts the session.
 * @param alter what the verifier says instead
 */
export function createRecordedVerifier(alter: (output: MpcOutput) => MpcOutput): MpcVerifier {
  const hidden = (length: number) => ({ bytes: new Uint8Array(length), revealed: [] });
  return {
    async open() {
      return {
        async verify(channel) {
          const incoming = channel.incoming[Symbol.asyncIterator]();
          let expected = OPENING.length;
          let read = 0;
          const runs = runsOf(RECORDED);
          for (const [index, { from, bytes }] of runs.entries()) {
            if (from === 'verifier') {
              await channel.send(bytes);
              continue;
            }
            // The request for the attestation is for the notary: a verifier reads no further.
            if (index === runs.length - 1) break;
            expected += bytes.length;
            while (read < expected) {
              const { value, done } = await incoming.next();
              if (done === true) throw new Error('unexpected end of file');
              read += value.length;
            }
          }
          await channel.send(GOODBYE);
          await channel.end();
          // The relay of an engine reads on.
          void drain(incoming);
          const time = Math.floor(Date.now() / 1000);
          const { sent, received } = RECORDED_LENGTHS;
          return alter({ serverName: null, time, sent: hidden(sent), received: hidden(received) });
        },
        async close() {},
      };
    },
    async close() {},
  };
}

async function drain(incoming: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while ((await incoming.next()).done !== true) await sleep(0);
  } catch {
    // The prover has left.
  }
}
