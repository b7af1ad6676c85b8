import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, parseRetryAfter } from '../../../adapters/scraping/backoff.ts';
import { readEntries } from '../../../adapters/scraping/entries.ts';
import { createIdentity } from '../../../adapters/scraping/identity.ts';
import {
  asCount,
  asDigits,
  asUnixTime,
  asUrl,
  embeddedScripts,
  field,
  findAll,
  parseJson,
} from '../../../adapters/scraping/index.ts';

describe('JSON of strangers', () => {
  it('keeps them in any text, as a reviver does that is told what was written', () => {
    const digits = fc.stringMatching(/^[1-9]\d{14,19}$/);
    const number = fc
      .tuple(fc.constantFrom('', '', '', '-'), digits, fc.constantFrom('', '', '', '.5', 'e1', 'E+2', '.25e-3'))
      .map((parts) => parts.join(''));
    const text = fc
      .array(fc.oneof(digits, fc.constantFrom('"', '\\', ',', ':', '[', ' ', 'é', '\n')))
      .map((parts) => JSON.stringify(parts.join('')));
    const space = fc.constantFrom('', '', ' ', '\n\t');
    const scalar = fc.oneof(number, text, fc.constantFrom('0', '1e16', '9007199254740991', 'null', 'true'));
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        scalar,
        fc.tuple(space, fc.array(tie('value'))).map(([gap, values]) => `[${gap}${values.join(`${gap},${gap}`)}${gap}]`),
        fc
          .tuple(space, fc.array(fc.tuple(text, tie('value'))))
          .map(([gap, fields]) => `{${fields.map(([name, one]) => `${gap}${name}${gap}:${gap}${one}${gap}`).join()}}`),
      ),
    }));
    const revive = (_name: string, read: unknown, { source = '' }: { source?: string } = {}) =>
      /^[1-9]\d*$/.test(source) && !Number.isSafeInteger(read) ? source : read;
    const holds = fc.property(value, (json) => {
      expect(parseJson(`[${json}]`)).toEqual(JSON.parse(`[${json}]`, revive));
    });
    fc.assert(holds, { numRuns: 300 });
  });

  it('is none with a number that JSON does not have', () => {
    for (const broken of ['[09007199254740993]', '[9007199254740993 9007199254740993]', '[e9007199254740993]']) {
      expect(parseJson(broken)).toBeUndefined();
    }
  });

  it('is searched whatever it is, and counted by its objects', () => {
    expect([null, undefined, 'text', 5].map((root) => findAll(root, 'a'))).toEqual([[], [], [], []]);
    for (const small of [1, null]) {
      expect(findAll([...Array(500_001).fill(small), { a: 1 }], 'a')).toEqual([1]);
    }
  });

  it('is found at any depth, in order, up to a limit', () => {
    expect(findAll([{ a: 1 }, { b: { a: 2, c: [{ a: { a: 3 } }] } }], 'a')).toEqual([1, 2, { a: 3 }, 3]);
    const nested = (depth: number) => parseJson(`${'['.repeat(depth)}{"a":1}${']'.repeat(depth)}`);
    expect([findAll(nested(64), 'a'), findAll(nested(65), 'a')]).toEqual([[1], []]);
    const wide = (objects: number) => [...Array.from({ length: objects }, () => ({})), { a: 1 }];
    expect([findAll(wide(499_998), 'a'), findAll(wide(499_999), 'a')]).toEqual([[1], []]);
  });

  it('is read by own properties only', () => {
    expect(field({ a: [{ b: 1 }] }, 'a', 0, 'b')).toBe(1);
    expect(field({}, 'constructor')).toBeUndefined();
    expect(field(null, 'a')).toBeUndefined();
    expect(field('text', 'length')).toBeUndefined();
    expect(findAll(parseJson('{"__proto__":{"a":1}}'), 'a')).toEqual([1]);
  });

  it('holds counts, ids, times and URLs, or nothing', () => {
    expect([3, '12', -1, 1.5, 'x', 2 ** 60, null].map(asCount)).toEqual([3, 12, null, null, null, null, null]);
    expect(['0012', 7, 2 ** 60, '-1', ''].map(asDigits)).toEqual(['0012', '7', null, null, null]);
    expect([1_790_975_127, 0, 1e12].map(asUnixTime)).toEqual([new Date(1_790_975_127_000), null, null]);
    const urls = ['https://a.example/x', 'javascript:alert(1)', '/x', 5];
    expect(urls.map((url) => asUrl(url))).toEqual(['https://a.example/x', null, null, null]);
  });
});

describe('lists of strangers', () => {
  const read = (list: readonly (number | 'unreadable' | 'drifted' | 'misplaced' | 'nobodys')[], isLater = false) =>
    readEntries(list, (entry) => (typeof entry === 'number' ? { read: entry } : (entry as 'drifted')), isLater);

  it('lose what cannot be read, and count it', () => {
    expect(read([])).toEqual({ entries: [], skipped: 0 });
    expect(read([1, 'unreadable', 2, 'drifted', 'nobodys'])).toEqual({ entries: [1, 2], skipped: 2 });
    expect(read([1, 'unreadable', 'unreadable', 'unreadable'])).toEqual({ entries: [1], skipped: 3 });
    expect(read(['nobodys', 'nobodys', 'nobodys'])).toEqual({ entries: [], skipped: 0 });
    expect(read(['unreadable', 'unreadable'])).toEqual({ entries: [], skipped: 2 });
  });

  it('are refused when they have changed as a whole', () => {
    expect(read(['unreadable', 'unreadable', 'unreadable'])).toBeNull();
    expect(read(['drifted'])).toBeNull();
    expect(read(['drifted', 'nobodys'])).toBeNull();
  });

  it('are not refused on a later page, unless they belong to another list', () => {
    expect(read(['drifted', 'unreadable', 'unreadable', 'unreadable'], true)).toEqual({ entries: [], skipped: 4 });
    expect(read([1, 'misplaced'], true)).toEqual({ entries: [1], skipped: 1 });
    expect(read(['misplaced', 'drifted'], true)).toBeNull();
  });

  it('count what a list in the place of an entry holds', () => {
    const list: unknown[] = [1, [2, 3], []];
    const readOne = (entry: unknown) => (typeof entry === 'number' ? { read: entry } : 'drifted');
    expect(readEntries(list, readOne)).toEqual({ entries: [1], skipped: 3 });
  });
});

describe('the cookies of an identity', () => {
  const www = 'https://www.platform.test/';
  const onWww = (cookies: Record<string, string>) =>
    createIdentity({ kind: 'session', label: 'l', connectionKey: 'k', baseUrl: www, cookies });
  const url = 'https://platform.test/a/b';
  const identity = (cookies?: Record<string, string>) =>
    createIdentity({
      kind: 'session',
      label: 'l',
      connectionKey: 'k',
      baseUrl: 'https://platform.test',
      ...(cookies && { cookies }),
    });

  it('are those that it began with, those that it is given, and those of answers', async () => {
    const one = identity({ sessionid: '1' });
    await one.setCookie('mid', '2');
    await one.absorb(url, 'a=3; Path=/');
    await one.absorb(url, ['b=4', 'c=5; Domain=other.test']);
    await one.absorb(url, undefined);
    const sentTo = async (path: string) =>
      (await one.cookieHeader(`https://platform.test${path}`)).split('; ').toSorted().join(' ');
    expect([await sentTo('/a/'), await sentTo('/')]).toEqual(['a=3 b=4 mid=2 sessionid=1', 'a=3 mid=2 sessionid=1']);
    expect([await one.cookie('mid'), await one.cookie('none')]).toEqual(['2', undefined]);
    expect(await identity().cookieHeader(url)).toBe('');
  });

  it('give way to those that the site sets for its whole domain', async () => {
    const one = onWww({ sessionid: 'old', csrftoken: 'ours' });
    await one.absorb(www, ['sessionid=new; Domain=.platform.test; Path=/', 'csrftoken=theirs; Domain=platform.test']);
    expect(await one.cookieHeader(www)).toBe('sessionid=new; csrftoken=theirs');
    await one.setCookie('csrftoken', 'fresh');
    const cookies = [await one.cookie('csrftoken'), await one.cookieHeader(www)];
    expect(cookies).toEqual(['fresh', 'sessionid=new; csrftoken=fresh']);
    // Clearing what an older version of the site had set for the host takes nothing from the domain's.
    await one.absorb(www, 'sessionid=; Path=/; Max-Age=0');
    expect(await one.cookie('sessionid')).toBe('new');
    await one.absorb(www, 'sessionid=""; Domain=.platform.test; Path=/; Max-Age=0');
    expect(await one.cookie('sessionid')).toBeUndefined();
  });

  it('are taken away for the domain of the platform, also by a replacement of it', async () => {
    const one = onWww({ sessionid: 'ours' });
    await one.absorb(www, ['mid=""; Domain=.instagram.com; Path=/; Max-Age=0', 'x=""; Domain=.instagram.com']);
    expect(await one.cookieHeader(www)).toBe('sessionid=ours');
    await one.absorb(www, 'sessionid=""; Domain=.instagram.com; Path=/; Max-Age=0; Secure');
    expect(await one.cookie('sessionid')).toBe('');
  });

  it.each([
    ['another site', www, 'sessionid=new; Domain=.other.test; Path=/'],
    ['another path', www, 'sessionid=new; Domain=.platform.test; Path=/a/'],
    ['another host', 'https://i.platform.test/', 'sessionid=new; Domain=.i.platform.test; Path=/'],
    ['another host alone', 'https://i.platform.test/', 'sessionid=new; Path=/'],
  ])('stay beside one for %s', async (_name, from, line) => {
    const one = onWww({ sessionid: 'ours' });
    await one.absorb(from, line);
    expect(await one.cookieHeader(www)).toBe('sessionid=ours');
  });

  it('are bounded in number and length', async () => {
    const one = identity();
    await one.absorb(
      url,
      Array.from({ length: 60 }, (_none, index) => `c${index}=1`),
    );
    expect((await one.cookieHeader(url)).split('; ')).toHaveLength(50);
    const two = identity();
    await two.absorb(url, [`a=${'x'.repeat(4_094)}`, `b=${'x'.repeat(4_095)}`]);
    expect((await two.cookieHeader(url)).length).toBe(4_096);
  });
});

describe('pages of strangers', () => {
  it('show their scripts in order', () => {
    const html = '<p><script>a</script><script type="x">{"b":1}</script ><script>never closed';
    const scripts = [...embeddedScripts(html)];
    expect(scripts).toEqual([
      { attributes: '', content: 'a' },
      { attributes: ' type="x"', content: '{"b":1}' },
    ]);
  });

  it('may end anywhere', () => {
    for (const html of ['', '<p>', '<script', '<script>', '<script>a', '<script>a</scrip']) {
      expect([...embeddedScripts(html)], html).toEqual([]);
    }
    expect([...embeddedScripts('</script <script a')]).toEqual([]);
    const scripts = [...embeddedScripts('<script></script><script>b</script>')];
    expect(scripts.map(({ content }) => content)).toEqual(['', 'b']);
  });

  it('have no more than 2,000 scripts', () => {
    expect([...embeddedScripts('<script>a</script>'.repeat(2_001))]).toHaveLength(2_000);
  });
});

describe('waiting', () => {
  const fixed = (byte: number) => ({ bytes: (length: number) => new Uint8Array(length).fill(byte) });

  it('doubles from 5 s to 120 s, spread by a fifth', () => {
    expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(attempt, fixed(0)))).toEqual([
      4000, 8000, 16_000, 32_000, 64_000, 96_000, 96_000,
    ]);
    expect(backoffMs(0, fixed(255))).toBe(6000);
    expect(backoffMs(9, fixed(255))).toBe(120_000);
  });

  // Every form: test/unit/retry-after.test.ts.
  it.each([
    [null, undefined],
    ['Sat, 21 Nov 2026 00:01:00 GMT', 60],
    // A wait of nothing would have us come back at once.
    ['1.5', undefined],
  ])('reads Retry-After %s', (header, seconds) => {
    expect(parseRetryAfter(header, new Date('2026-11-21T00:00:00Z'))).toBe(seconds);
  });
});
