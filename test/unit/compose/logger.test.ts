/** What an instance says of itself when the host passes no logger. */
import { afterEach, expect, it, vi } from 'vitest';
import { type CredenceOptions, createCredence, silentLogger } from '../../../plugins/compose/index.ts';
import type { Route } from '../../../plugins/http/route.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { request } from '../http/requests.ts';

afterEach(() => vi.restoreAllMocks());

/** A request whose caller cannot be told, since the host's own code breaks; what went to stderr, line by line. */
async function breakDown(options: CredenceOptions): Promise<{ body: string; lines: Record<string, unknown>[] }> {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => written.push(String(chunk)) > 0);
  const credence = createCredence(
    { storage: 'sqlite::memory:' },
    {
      identify: () => {
        throw Object.assign(new Error('the session store is gone'), { token: 'crd_of_somebody' });
      },
      ...options,
    },
  );
  const row = credence.routes.find(({ id }) => id === 'listBrands') as Route;
  const { status, body } = await credence.dispatcher.dispatch(row, request());
  expect(status).toBe(500);
  return {
    body: String(body),
    lines: written
      .join('')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  };
}

it('writes failures to stderr as JSON lines, and no line for every request', async () => {
  const { body, lines } = await breakDown({});
  expect(lines).toMatchObject([
    { level: 50, route: 'listBrands', requestId: JSON.parse(body).error.requestId, msg: 'unexpected failure' },
  ]);
  expect(lines[0]).toMatchObject({ err: { message: 'the session store is gone', token: '[redacted]' } });
  expect(JSON.stringify(lines)).toContain('logger.test.ts');
});

it('writes nothing there when the host has a logger, or wants none', async () => {
  const logger = createRecordingLogger();
  expect((await breakDown({ logger })).lines).toEqual([]);
  expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'info']);
  expect((await breakDown({ logger: silentLogger })).lines).toEqual([]);
});
