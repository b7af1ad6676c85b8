import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGroth16Prover } from '../../../adapters/groth16-prover/index.ts';
import { encodeSeal, type Groth16Proof } from '../../../adapters/groth16-prover/seal.ts';
import type { ProofStatement, ZkProver } from '../../../core/ports/zk-prover.ts';
import { attestQueryValues, openQueryValues } from '../../../core/web-proof/attested-values/extension.ts';
import { BY_NOTARY } from '../../../core/web-proof/attested-values/program.ts';
import { createValuesSigner } from '../../../core/web-proof/attested-values/values-signature.ts';

const FAKE = fileURLToPath(new URL('../../support/fake-rapidsnark.ts', import.meta.url));
const PATIENCE_MS = 240_000;

const secretKey = new Uint8Array(32).fill(7);
const attesterKey = secp256k1.getPublicKey(secretKey, true);
const signer = createValuesSigner(secretKey);
const facts = { method: 'GET', url: 'https://a.example/', tlsTimestamp: 1_763_600_000 };
const statement: ProofStatement = {
  presentation: { data: '00', version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } },
  facts,
  attester: BY_NOTARY,
  attesterKey,
  queries: ['a'],
  values: [{ kind: 'string', text: 'x' }],
  journal: Uint8Array.of(1, 2, 3),
  attestation: async () => {
    const bytes = attestQueryValues(signer, new Uint8Array(32), facts, statement.queries, statement.values);
    return openQueryValues(bytes, attesterKey, facts, statement.queries, statement.values);
  },
};

const EMPTY_PROOF: Groth16Proof = {
  pi_a: ['0', '0'],
  pi_b: [
    ['0', '0'],
    ['0', '0'],
  ],
  pi_c: ['0', '0'],
};
/** Behind the selector and an offset. */
const PROOF = { start: 36, end: 292 };

/** Where the prover puts what the program reads and writes; the program itself is outside of it. */
let place: string;
let programs: string;
let prover: ZkProver;
beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'rapidsnark-'));
  place = await mkdtemp(join(tmpdir(), 'rapidsnark-place-'));
  vi.stubEnv('TMPDIR', place);
  await writeFile(join(programs, 'prover'), '#!/bin/sh\n. "$(dirname "$0")/behaviour"\n');
  await chmod(join(programs, 'prover'), 0o755);
  prover = createGroth16Prover({
    rapidsnark: join(programs, 'prover'),
    timeoutMs: PATIENCE_MS,
    maxWaitMs: PATIENCE_MS,
  });
});
afterAll(async () => {
  await prover.close();
  vi.unstubAllEnvs();
  await Promise.all([place, programs].map((directory) => rm(directory, { recursive: true, force: true })));
});
afterEach(() => rm(join(programs, 'pids'), { force: true }));

/** What the program does from now on: commands of a shell, with the four paths in `$1` to `$4`. */
const behave = (commands: string) => writeFile(join(programs, 'behaviour'), commands);

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Two processes that run for long: the program and one that it started. */
const HANGS =
  'sleep 600 & echo "$$ $!" > "$(dirname "$0")/pids.new"; mv "$(dirname "$0")/pids.new" "$(dirname "$0")/pids"; wait';

async function pidsOfProgram(): Promise<readonly number[]> {
  const text = await vi.waitFor(() => readFile(join(programs, 'pids'), 'utf8'), { timeout: PATIENCE_MS, interval: 20 });
  return text.trim().split(' ').map(Number);
}

const ended = (pids: readonly number[]) =>
  vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), { timeout: PATIENCE_MS, interval: 20 });

describe('rapidsnark', { timeout: PATIENCE_MS }, () => {
  it('makes the seal of the same key, whose proof holds', async () => {
    await behave(`exec "${process.execPath}" "${FAKE}" "$@"`);
    await prover.warmUp?.();
    const seal = await prover.prove(statement);
    const expected = encodeSeal(await prover.guestId(), EMPTY_PROOF, statement, await statement.attestation());
    const besidesProof = (bytes: Uint8Array) => [...bytes.subarray(0, PROOF.start), ...bytes.subarray(PROOF.end)];
    expect(besidesProof(seal)).toEqual(besidesProof(expected));
    expect(seal.subarray(PROOF.start, PROOF.end).some((byte) => byte !== 0)).toBe(true);
  });

  it.each([
    ['fails', 'echo "no such curve" >&2; exit 3'],
    ['writes nothing', 'exit 0'],
    ['writes no JSON', 'echo proof > "$3"; echo "[]" > "$4"'],
    ['writes a proof without points', 'echo "{}" > "$3"; echo "[]" > "$4"'],
    [
      'writes a proof that does not hold',
      `echo '{"pi_a":["1","2","1"],"pi_b":[["1","0"],["1","0"],["1","0"]],"pi_c":["1","2","1"]}' > "$3"; echo '["1"]' > "$4"`,
    ],
    ['writes without end', 'head -c 1000000 /dev/zero > "$3"; echo "[]" > "$4"'],
    ['prints without end', 'while :; do echo and on and on and on; done'],
  ])('is not believed if it %s', async (_title, commands) => {
    await behave(commands);
    await expect(prover.prove(statement)).rejects.toMatchObject({
      code: 'PROOF_GENERATION_FAILED',
      message: 'The prover failed.',
    });
  });

  it('ends with everything that it started when its caller gives up, and leaves nothing behind', async () => {
    await behave(HANGS);
    const caller = new AbortController();
    const proof = expect(prover.prove(statement, caller.signal)).rejects.toThrow('given up');
    const pids = await pidsOfProgram();
    caller.abort(new Error('given up'));
    await proof;
    await ended(pids);
    await vi.waitFor(async () => expect(await readdir(place)).toEqual([]), { timeout: PATIENCE_MS });
  });

  it('ends when the prover is closed', async () => {
    const closing = createGroth16Prover({ rapidsnark: join(programs, 'prover') });
    await behave(HANGS);
    const proof = expect(closing.prove(statement)).rejects.toThrow('ended before');
    const pids = await pidsOfProgram();
    await closing.close();
    await proof;
    await ended(pids);
  });

  it('is named by a path that leads to a program', async () => {
    const missing = createGroth16Prover({ rapidsnark: join(programs, 'none') });
    await expect(missing.prove(statement)).rejects.toMatchObject({ code: 'PROOF_GENERATION_FAILED' });
    await missing.close();
  });
});
