/** Large bodies and answers have a turn of the event loop each, for every caller. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readBody } from '../../../plugins/http/body.ts';
import { createOwnTurns } from '../../../plugins/http/dispatch/own-turns.ts';
import { writeInTurns } from '../../../plugins/http/dispatch/write-in-turns.ts';
import type { BodySource } from '../../../plugins/http/message.ts';
import { type Input, jsonRequest, row, testDispatcher } from './requests.ts';

const KIB = 1024;

/** Turns of the event loop since the test began. */
let turn = 0;
let counting: NodeJS.Immediate;

beforeEach(() => {
  turn = 0;
  const count = () => {
    turn += 1;
    counting = setImmediate(count);
  };
  counting = setImmediate(count);
});

afterEach(() => clearImmediate(counting));

describe('large bodies that arrive in one turn', () => {
  const parsedIn: number[] = [];
  const schema = z.object({ text: z.string() }).transform((body) => {
    parsedIn.push(turn);
    return body;
  });
  const route = row({ body: schema, maxBodyBytes: 4 * KIB * KIB, access: 'token' });
  const send = (token: string, signal = new AbortController().signal) =>
    jsonRequest({ text: 'x'.repeat(20 * KIB) }, { headers: { authorization: `Bearer ${token}` }, signal });

  beforeEach(() => {
    parsedIn.length = 0;
  });

  it('are parsed one a turn, and callers take turns', async () => {
    const dispatcher = testDispatcher();
    const order: string[] = [];
    const one = (token: string) => dispatcher.dispatch(route, send(token)).then(() => order.push(token));
    await Promise.all([...Array.from({ length: 40 }, () => one('admin')), one('client')]);
    expect(new Set(parsedIn).size).toBe(41);
    expect(order.indexOf('client')).toBeLessThanOrEqual(2);
  });

  it('are not parsed once their client has gone away', async () => {
    const dispatcher = testDispatcher();
    const gone = new AbortController();
    const answers = [send('admin'), send('admin', gone.signal)].map((sent) => dispatcher.dispatch(route, sent));
    // Both have been read, and the second waits for the first.
    setImmediate(() => gone.abort());
    await Promise.all(answers);
    expect(parsedIn).toHaveLength(1);
  });

  it('are read in pieces, each body in turns of its own after its first ones', async () => {
    const ownTurns = createOwnTurns();
    const takenIn = new Map<number, number>();
    const body = (): BodySource => {
      async function* pieces() {
        for (let piece = 0; piece < 32; piece += 1) {
          takenIn.set(turn, (takenIn.get(turn) ?? 0) + 64 * KIB);
          yield new Uint8Array(64 * KIB);
        }
      }
      return { kind: 'stream', stream: pieces() };
    };
    const bodies = Array.from({ length: 8 }, () =>
      readBody(body(), undefined, 4 * KIB * KIB, undefined, () => ownTurns('ann')),
    );
    for (const { bytes } of await Promise.all(bodies)) expect(bytes?.length).toBe(32 * 64 * KIB);
    const [first = 0, ...later] = takenIn.values();
    expect(first).toBeLessThanOrEqual(8 * 128 * KIB);
    expect(Math.max(...later)).toBeLessThanOrEqual(576 * KIB);
  });
});

describe('large answers that are ready in one turn', () => {
  /** Notes in which turn it is written. */
  const noted = (turns: number[], text: string) => ({
    toJSON: () => {
      turns.push(turn);
      return text;
    },
  });
  const route = (handle: (input: Input) => Promise<{ status: number; body: unknown }>) =>
    row({ body: z.object({ of: z.int() }) }, handle);

  it('are written in turns of their own', async () => {
    const dispatcher = testDispatcher();
    const writtenIn: number[][] = [[], [], []];
    const large = route(async ({ body, hold }) => {
      hold(1024 * KIB);
      const results = Array.from({ length: 4 }, () =>
        noted(writtenIn[(body as { of: number }).of] ?? [], 'x'.repeat(300 * KIB)),
      );
      return { status: 200, body: { data: { results } } };
    });
    const answers = await Promise.all([0, 1, 2].map((of) => dispatcher.dispatch(large, jsonRequest({ of }))));
    const all = writtenIn.flatMap((turns) => [...new Set(turns)]);
    expect(all.length).toBeGreaterThan(3);
    expect(new Set(all).size).toBe(all.length);
    for (const { encoded } of answers)
      expect(JSON.parse(Buffer.from(encoded ?? []).toString()).data.results).toHaveLength(4);
  });

  it('count with their bytes until they are sent', async () => {
    const large = route(async ({ hold }) => {
      hold(512 * KIB);
      return { status: 200, body: { text: 'é'.repeat(512 * KIB) } };
    });
    const { held } = await testDispatcher().dispatch(large, jsonRequest({ of: 0 }));
    expect(held).toBeDefined();
    held?.release();
  });
});

describe('writing in turns', () => {
  it.each([
    {},
    [],
    { a: [], b: {}, c: null, 'é"': 'é"\n' },
    { a: undefined, b: () => 1, c: Symbol('c'), d: [undefined, () => 1, null] },
    [new Date(0), { at: new Date(0) }, [[[[1, { deep: [{}] }]]]], Number.NaN, true, 'text'],
    Object.create(null, { own: { value: 1, enumerable: true } }),
  ])('writes what JSON.stringify writes: case %#', async (value) => {
    const bytes = await writeInTurns(value, async () => undefined);
    expect(Buffer.from(bytes).toString()).toBe(JSON.stringify(value));
  });
});
