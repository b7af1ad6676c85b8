import { afterEach, expect, it, vi } from 'vitest';
import { nextTurn } from '../../core/next-turn.ts';

afterEach(() => vi.unstubAllGlobals());

it.each([
  { runtime: 'Node.js', missing: [] },
  { runtime: 'a browser', missing: ['setImmediate'] },
  { runtime: 'an edge runtime', missing: ['setImmediate', 'MessageChannel'] },
])('lets other work in on $runtime', async ({ missing }) => {
  const otherWork = vi.fn();
  setImmediate(otherWork);
  for (const name of missing) vi.stubGlobal(name, undefined);
  const turn = nextTurn();
  await Promise.resolve();
  expect(otherWork).not.toHaveBeenCalled();
  await turn;
  await nextTurn();
  expect(otherWork).toHaveBeenCalledOnce();
});
