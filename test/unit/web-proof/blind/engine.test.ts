import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createEngineVerifier } from '../../../../adapters/mpc-engine/engine.ts';
import { EngineError, mpcEngineOptions } from '../../../../adapters/mpc-engine/index.ts';
import { engineFiles } from '../../../../adapters/mpc-engine/package-files.ts';
import { relay } from '../../../../adapters/mpc-engine/relay.ts';
import { missingPackage } from '../../../../adapters/package-loader/index.ts';
import type { ByteChannel } from '../../../../core/ports/mpc-tls.ts';

const LIMITS = { maxSentData: 256, maxRecvData: 512 };
const folder = mkdtempSync(join(tmpdir(), 'credence-engine-'));

/** An engine that is a script: what it does in the place of loading the program. */
function engineThat(does: string) {
  const glue = join(folder, `${does.length}.mjs`);
  writeFileSync(
    glue,
    `export const initSync = () => {};
     export const initialize = async () => {};
     export class Verifier { async connect() {} verify() { ${does} } }`,
  );
  return createEngineVerifier({}, () => ({ glue, program: glue }));
}

const silent: ByteChannel = {
  incoming: (async function* () {
    await new Promise(() => {});
  })(),
  send: async () => {},
  end: async () => {},
};

describe('the process of an MPC session', () => {
  it('that ends by itself fails the session', async () => {
    const engine = engineThat('process.exit(7)');
    const session = await engine.open(LIMITS);
    await expect(session.verify(silent)).rejects.toThrow('The MPC engine ended unexpectedly (code 7).');
    await engine.close();
  });

  it('that hangs ends with its session, and sees no variable of ours', async () => {
    const engine = engineThat('if (process.env.PATH === undefined) return new Promise(() => {})');
    const session = await engine.open(LIMITS);
    const verified = session.verify(silent);
    const ended = expect(verified).rejects.toThrow('The MPC session was ended.');
    await session.close();
    await ended;
    await session.close();
    await engine.close();
    await expect(engine.open(LIMITS)).rejects.toThrow('closed');
  });

  it('passes on what the engine refuses', async () => {
    const engine = engineThat("return Promise.reject(new Error('no such thing'))");
    const session = await engine.open(LIMITS);
    await expect(session.verify(silent)).rejects.toThrow(new EngineError('no such thing'));
    await engine.close();
  });

  it('is not started if the program cannot be loaded', async () => {
    const engine = createEngineVerifier({}, () => ({ glue: join(folder, 'nothing.mjs'), program: folder }));
    await expect(engine.open(LIMITS)).rejects.toThrow(EngineError);
  });
});

describe('the package of the engine', () => {
  it('is the pinned build, and the message says how to install it', () => {
    expect(engineFiles().program).toMatch(/tlsn_wasm_bg\.wasm$/);
    expect(missingPackage('@csfloat/tlsn-wasm', 'A blind notary')).toBe(
      'A blind notary needs the package @csfloat/tlsn-wasm, which is not installed. Install it: npm install @csfloat/tlsn-wasm@0.1.0-alpha.14',
    );
  });

  it('has bounded memory', () => {
    expect(mpcEngineOptions.parse({}).memoryMiB).toBe(768);
    expect(mpcEngineOptions.safeParse({ memoryMiB: 4_097 }).success).toBe(false);
  });
});

it('the relay of a session ends a side that sends more than it may', async () => {
  const pipe = new PassThrough();
  const flood: ByteChannel = {
    ...silent,
    incoming: (async function* () {
      for (;;) yield new Uint8Array(400);
    })(),
  };
  await expect(relay(flood, pipe, 1_000)).rejects.toThrow('A session sends at most 1000 bytes in each direction.');
});
