import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../hosts/standalone/environment.ts';
import { resolveConfig } from '../../../plugins/compose/config.ts';

const read = {
  'as a variable': (url: string) => readEnvironment({ PUBLIC_URL: url }).PUBLIC_URL,
  'as an option': (url: string) => resolveConfig({ publicUrl: url }).publicUrl,
};

describe.each(Object.entries(read))('the public URL, %s', (_name, publicUrl) => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com/engagement//', 'https://api.example.com/engagement'],
    ['http://LOCALHOST:3000/@me', 'http://localhost:3000/@me'],
  ])('%s is %s', (given, kept) => {
    expect(publicUrl(given)).toBe(kept);
  });

  it.each([
    'https://api.example.com/?q=1',
    'https://api.example.com/?',
    'https://api.example.com#top',
    'https://user:password@api.example.com',
    'ftp://api.example.com',
    'api.example.com',
  ])('%s is refused', (given) => {
    expect(() => publicUrl(given)).toThrow(/PUBLIC_URL|publicUrl/);
  });
});
