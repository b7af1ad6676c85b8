/** Cursors as callers hold them: JSON in URL-safe Base64. They come back from strangers, so they are checked like any input. */
import type { z } from 'zod';
import { decodeBase64Url, encodeBase64Url } from './base64.ts';

/** Characters of the longest cursor that is decoded. */
const MAX_LENGTH = 16_384;

export function encodeCursor(value: unknown): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
}

/** What a cursor holds; null for text that is too long, is no such encoding, or does not fit the schema. */
export function decodeCursor<T>(text: string, schema: z.ZodType<T>): T | null {
  const bytes = text.length <= MAX_LENGTH ? decodeBase64Url(text) : null;
  if (bytes === null) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return schema.safeParse(value).data ?? null;
  } catch {
    return null;
  }
}
