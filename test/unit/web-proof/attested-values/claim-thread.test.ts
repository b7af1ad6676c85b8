import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { createClaimThread } from '../../../../adapters/claim-thread/index.ts';
import type { ClaimGroups, QueriedValue } from '../../../../core/ports/claim-groups.ts';
import { createValuesExtensions } from '../../../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../../../core/web-proof/attested-values/values-signature.ts';
import { revealedExchange } from '../../../support/revealed-exchange.ts';

const signer = createValuesSigner(new Uint8Array(32).fill(7));
const seed = new Uint8Array(32).fill(3);

/** What a notary adds for an answer with so many values. */
async function extensionsOf(values: number, groups?: ClaimGroups) {
  const extend = createValuesExtensions(signer, { bytes: () => seed }, groups);
  return await extend(revealedExchange(Array.from({ length: values }, (_, i) => `${i}`)));
}

/** Waits until the thread takes tasks. */
async function readyThread(script?: () => URL): Promise<ClaimGroups> {
  const thread = createClaimThread(script);
  await vi.waitFor(async () => expect(await thread.hashesOf(seed, 0, [])).toEqual([]), { timeout: 20_000 });
  return thread;
}

it('computes the same trees as the main thread alone', async () => {
  const thread = await readyThread();
  const asked: (readonly [first: number, values: number])[] = [];
  const counted: ClaimGroups = {
    hashesOf(given, first, values) {
      asked.push([first, values.length]);
      return thread.hashesOf(given, first, values);
    },
  };
  for (const values of [0, 1, 81, 82, 162, 163, 728]) {
    expect(await extensionsOf(values, counted), `${values} values`).toEqual(await extensionsOf(values));
  }
  expect(asked).toEqual([
    [1, 1],
    [1, 81],
    [2, 1],
    [5, 323],
  ]);
});

it('is not waited for if it is busy, not ready or cannot run', async () => {
  const whole = await extensionsOf(163);
  const thread = await readyThread();
  const value: QueriedValue = ['a', { kind: 'string', text: 'b' }];
  const tasks = [0, 1, 2, 3].map((first) => thread.hashesOf(seed, first, [value]));
  expect(tasks.map((task) => task === null)).toEqual([false, false, true, true]);
  expect(await extensionsOf(163, thread)).toEqual(whole);
  const hashes = await Promise.all(tasks);
  expect(hashes[0]).toHaveLength(1);
  expect(hashes[0]).not.toEqual(hashes[1]);

  const noScript = createClaimThread(() => {
    throw new Error('a bundle has no scripts');
  });
  const missing = createClaimThread(() => new URL('no-such-thread.ts', import.meta.url));
  for (const each of [noScript, missing, createClaimThread()]) {
    expect(each.hashesOf(seed, 0, [value])).toBeNull();
    expect(await extensionsOf(163, each)).toEqual(whole);
  }
});

it('leaves what it could not compute to the main thread', async () => {
  const failing = await readyThread(() => new URL('../../../support/threads/failing-thread.mjs', import.meta.url));
  expect(await extensionsOf(163, failing)).toEqual(await extensionsOf(163));
  expect(failing.hashesOf(seed, 0, [])).toBeNull();
});

it('lets a process end while it starts', async () => {
  const module = new URL('../../../../adapters/claim-thread/index.ts', import.meta.url);
  const code = `import { createClaimThread } from '${module}';
    console.log(createClaimThread().hashesOf(new Uint8Array(32), 0, []));`;
  const arguments_ = ['--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, arguments_, { timeout: 60_000 });
  expect(stdout).toBe('null\n');
});
