import { describe, expect, it } from 'vitest';
import { youtubeDescriptor } from '../../../adapters/youtube/index.ts';
import { assertedHandle } from '../../../core/engagement/creators/asserted-handle.ts';
import { normaliseHandle } from '../../../core/platforms/handle.ts';
import { createPlatformRegistry, registryProblems } from '../../../core/platforms/registry.ts';
import { DESCRIPTORS } from '../../support/platforms.ts';

const ID = 'dQw4w9WgXcQ';
const registry = createPlatformRegistry([...DESCRIPTORS, youtubeDescriptor]);

describe('URLs of YouTube', () => {
  it.each([
    `https://www.youtube.com/watch?v=${ID}`,
    `https://music.youtube.com/watch?v=${ID}&feature=share`,
    `https://youtu.be/${ID}?si=abc`,
    `https://www.youtube.com/live/${ID}?feature=shared`,
    `https://www.youtube.com/embed/${ID}?start=1`,
    `https://www.youtube-nocookie.com/embed/${ID}`,
    `https://www.youtube.com/v/${ID}`,
    `https://www.youtube.com/e/${ID}`,
    `youtube.com/watch?v=${ID}`,
    `<https://youtu.be/${ID}?si=abc>.`,
    `https://www.youtube.com/watch?feature=share&amp;v=${ID}`,
    `https://www.youtube.com/watch?v=${ID}?si=abc`,
    `https://www.youtube.com//watch/?v=${ID}`,
    `https://www.youtubekids.com/watch?v=${ID}`,
  ])('%s is the video', (url) => {
    expect(registry.parsePostUrl(url)).toEqual({
      platform: 'youtube',
      contentType: 'post',
      contentId: ID,
      canonicalUrl: `https://www.youtube.com/watch?v=${ID}`,
    });
  });

  it('keeps a Short a Short', () => {
    const parsed = registry.parsePostUrl(`https://youtube.com/shorts/${ID}?feature=share`);
    expect(parsed).toMatchObject({ contentId: ID, canonicalUrl: `https://www.youtube.com/shorts/${ID}` });
  });

  it.each([
    'https://www.youtube.com/',
    'https://www.youtube.com/watch',
    `https://www.youtube.com/watch?v=${ID}x`,
    `https://www.youtube.com/watch?v=${ID}&v=AAAAAAAAAAA`,
    `https://www.youtube.com/watch/${ID}`,
    'https://www.youtube.com/@someone',
    'https://www.youtube.com/channel/UCuAXFkgsw1L7xaCfnd5JJOw',
    'https://www.youtube.com/playlist?list=PLabc',
    'https://www.youtube.com/embed/videoseries?list=PLabc',
    'https://www.youtube.com/embed/live_stream?channel=UCabc',
    'https://youtu.be/',
    `https://youtu.be/a/${ID}`,
    `https://youtube.com.example/watch?v=${ID}`,
  ])('%s is none', (url) => {
    expect(registry.parsePostUrl(url)).toBeNull();
  });

  it('shares no name and no host with the other platforms', () => {
    expect(registryProblems([...DESCRIPTORS, youtubeDescriptor])).toEqual([]);
  });
});

describe('handles of YouTube', () => {
  it.each(['@YouTube', 'a-b_c.d', '한국어채널', 'кириллица', 'ümläut', 'a·b·c', 'abc', 'x'.repeat(30), '_abc_'])(
    '%s may be one',
    (raw) => {
      expect(youtubeDescriptor.isHandle(normaliseHandle(raw))).toBe(true);
    },
  );

  it.each([
    ...['', 'x'.repeat(31), 'a b c', 'a\u0000bc', '🎂🎂🎂'],
    ...'ab .abc abc. ·abc a/b/c a@b https://youtube.com/@abc'.split(' '),
  ])('%j may not', (raw) => {
    expect(youtubeDescriptor.isHandle(normaliseHandle(raw))).toBe(false);
  });
});

describe('the id of a channel', () => {
  const ID_OF_CHANNEL = 'UCX6OQ3DkcsbYNE6H8uQQuVA';

  it.each([
    ID_OF_CHANNEL,
    ` ${ID_OF_CHANNEL} `,
    `@${ID_OF_CHANNEL}`,
    `https://www.youtube.com/channel/${ID_OF_CHANNEL}`,
  ])('is no handle, and the refusal says what to give: %s', (raw) => {
    expect(() => registry.parseHandle('youtube', raw)).toThrow(/the id of a YouTube channel: give its handle/);
    expect(() => assertedHandle(registry, 'youtube', raw)).toThrow(/the id of a YouTube channel: give its handle/);
  });

  it.each(['uclaathletics', `${ID_OF_CHANNEL}x`.toLowerCase(), ID_OF_CHANNEL.toLowerCase()])(
    'is told from the handle %s',
    (handle) => {
      expect(registry.parseHandle('youtube', `@${handle}`)).toBe(handle);
    },
  );
});
