import type { Duplex } from 'node:stream';
import type { ByteChannel } from '../mpc-tls.ts';
import { EngineError } from './engine-handle.ts';

/**
 * Carries bytes between a channel and a pipe of the engine until both directions have ended. Each side is read only as fast as the
 * other takes it.
 * @param maxBytes of one direction
 * @throws EngineError if a side sends more than that; whatever the channel throws
 */
export async function relay(channel: ByteChannel, pipe: Duplex, maxBytes: number): Promise<void> {
  await Promise.all([intoPipe(channel, pipe, maxBytes), intoChannel(channel, pipe, maxBytes)]);
}

async function intoPipe(channel: ByteChannel, pipe: Duplex, maxBytes: number): Promise<void> {
  let carried = 0;
  for await (const bytes of channel.incoming) {
    carried += bytes.length;
    if (carried > maxBytes) throw tooMuch(maxBytes);
    // The engine closes its side when it has what it needs; what comes later is of no use to it.
    if (!pipe.writable) continue;
    // Calls back when the bytes are taken, and when the pipe breaks.
    await new Promise<void>((resolve) => pipe.write(bytes, () => resolve()));
  }
  pipe.end();
}

async function intoChannel(channel: ByteChannel, pipe: Duplex, maxBytes: number): Promise<void> {
  let carried = 0;
  for await (const bytes of pipe.iterator({ destroyOnReturn: false })) {
    carried += bytes.length;
    if (carried > maxBytes) throw tooMuch(maxBytes);
    await channel.send(bytes);
  }
  await channel.end();
}

function tooMuch(maxBytes: number): EngineError {
  return new EngineError(`A session sends at most ${maxBytes} bytes in each direction.`);
}
