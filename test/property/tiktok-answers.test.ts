import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Identity, JsonObject, ScrapingResponse, Verdict } from '../../adapters/scraping/index.ts';
import { readPage } from '../../adapters/tiktok/answers.ts';
import { readCommentPage } from '../../adapters/tiktok/comments.ts';
import { isDomainError } from '../../core/errors.ts';
import { commentList } from '../../hosts/platform-simulator/tiktok/comments.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { withJunk } from '../support/drift.ts';
import { junk } from '../support/json-places.ts';
import { runs } from '../support/property-runs.ts';

const post = createWorld('fuzz').addPost({ platform: 'tiktok', owner: 'mia', comments: 5 });
const comments = commentList(post, null, 0, 20, null).body ?? '';

function isTyped(verdict: Verdict<unknown>): boolean {
  if (verdict.kind === 'permanent') return isDomainError(verdict.error);
  return verdict.kind === 'ok' || verdict.kind === 'throttled' || verdict.reason !== '';
}

it('a comment page never loses comments silently, whatever one field turns into', () => {
  fc.assert(
    fc.property(junk, fc.nat(), (replacement, choice) => {
      const changed: unknown = JSON.parse(withJunk(comments, choice, replacement) || 'null');
      if (typeof changed !== 'object' || changed === null) return;
      const verdict = readCommentPage(changed as JsonObject, { parentId: null, after: null }, post.contentId);
      if (verdict.kind !== 'ok') return;
      const listed = (changed as { comments: unknown[] | null }).comments ?? [];
      const { comments: read, skipped = 0 } = verdict.value;
      const known = read.filter(({ parentId }) => parentId === null).length;
      expect(known).toBeLessThanOrEqual(listed.length);
      expect(known + skipped).toBeGreaterThanOrEqual(listed.length);
    }),
    runs(200),
  );
});

describe('hostile pages', () => {
  const identity: Identity = {
    kind: 'anonymous',
    label: 'anonymous-1',
    cookie: async () => undefined,
    setCookie: async () => undefined,
    memory: new Map(),
  };
  const open = (text: string) => {
    const response: ScrapingResponse = { url: 'https://www.tiktok.com/', status: 200, text, header: () => null };
    const reading = { identity, signal: new AbortController().signal };
    return readPage(response, reading, '__UNIVERSAL_DATA_FOR_REHYDRATION__');
  };
  const script = (content: string): string => `<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__">${content}</script>`;

  it.each([
    ['scripts that never end', '<script'.repeat(500_000)],
    ['open tags', '<'.repeat(4_000_000)],
    ['many empty scripts', '<script></script>'.repeat(200_000)],
    ['ids all over', 'id="cs" id="wci" '.repeat(3_000)],
    ['JSON nested a million deep', script('['.repeat(1_000_000))],
    ['JSON nested deep and closed', script(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)],
    ['a list instead of an object', script('[1,2,3]')],
    ['a number beyond all bounds', script(`{"a":${'9'.repeat(1_000_000)}}`)],
  ])('of %s are refused or read, soon', async (_name, page) => {
    expect(isTyped(await open(page))).toBe(true);
  });
});
