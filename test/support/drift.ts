/** Answers of a platform that have drifted: the same JSON with one or more places in it changed in shape, never in meaning. */
import { createDataProviderPlatform } from '../../adapters/data-provider/index.ts';
import { createInstagramPlatform } from '../../adapters/instagram/index.ts';
import type { ScrapingTransport } from '../../adapters/scraping/index.ts';
import { createTikTokPlatform } from '../../adapters/tiktok/index.ts';
import { createYouTubePlatform } from '../../adapters/youtube/index.ts';
import type { Platform } from '../../core/ports/platform.ts';
import { SIMULATED_PROVIDER_KEY } from '../../hosts/platform-simulator/data-provider/site.ts';
import type { PlatformSite } from '../../hosts/platform-simulator/site.ts';
import { SIMULATED_YOUTUBE_KEY } from '../../hosts/platform-simulator/youtube/site.ts';
import { type Place, placesIn, replacedAt, valueAt } from './json-places.ts';
import type { SpecifiedPlatform } from './platforms.ts';

/** Changes of shape, which leave a trace in the JSON. */
export type ChangeKind = 'drop' | 'null' | 'type' | 'wrap' | 'hoist' | 'empty' | 'nest';
export const CHANGE_KINDS: readonly ChangeKind[] = ['drop', 'null', 'type', 'wrap', 'hoist', 'empty', 'nest'];

export interface Change {
  readonly kind: ChangeKind;
  /** Picks the place, by the number of places there are. */
  readonly place: number;
}

/** Changes that leave no trace in a list. It ends before its end, is null or empty, or says the contrary of whether there is more. */
export const ENDINGS = ['cut', 'emptied', 'nulled', 'flipped'] as const;

export interface Ending {
  readonly kind: (typeof ENDINGS)[number];
  /** Picks the list or flag, and where a list is cut. */
  readonly place: number;
}

const LISTS = /^(?:comments|child_comments|edges|users)$/;
const FLAGS = /^(?:has_more\w*|has_next_page)$/;

/** The JSON text with one of its lists, or flags of paging, changed; as it was when there is none. */
export function endEarly(json: string, { kind, place }: Ending): string {
  const value: unknown = JSON.parse(json);
  const keys = kind === 'flipped' ? FLAGS : LISTS;
  const paths = placesIn(value).filter((path) => keys.test(String(path.at(-1))));
  const path = paths[place % Math.max(1, paths.length)];
  return path === undefined ? json : JSON.stringify(replacedAt(value, path, (list) => endedAt(list, kind, place)));
}

function endedAt(value: unknown, kind: Ending['kind'], place: number): unknown {
  if (kind === 'flipped') return typeof value === 'number' ? 1 - value : typeof value === 'boolean' ? !value : value;
  if (!Array.isArray(value)) return value;
  if (kind === 'nulled') return null;
  return kind === 'emptied' ? [] : value.slice(0, place % Math.max(1, value.length));
}

/** Keys by which a platform tells something also where there is nothing in them. */
export interface Spared {
  /** Their null is a meaning of its own. */
  readonly nulls: ReadonlySet<string>;
  /** So is their absence, and emptiness. */
  readonly absences: ReadonlySet<string>;
}

const NOTHING_SPARED: Spared = { nulls: new Set(), absences: new Set() };

/** The JSON text with the changes made one after the other. */
export function drift(json: string, changes: readonly Change[], spared: Spared = NOTHING_SPARED): string {
  let value: unknown = JSON.parse(json);
  for (const { kind, place } of changes) {
    const isAnotherMeaning = (path: Place): boolean => {
      const key = String(path.at(-1));
      if (kind === 'drop' || kind === 'empty') {
        if (spared.absences.has(key)) return true;
        if (kind === 'drop') return false;
      }
      return spared.nulls.has(key) && replacementOf(valueAt(value, path), kind) === null;
    };
    const places = placesIn(value).filter((path) => !isAnotherMeaning(path));
    const path = places[place % places.length];
    if (path !== undefined) value = changedAt(value, path, kind);
  }
  return JSON.stringify(value);
}

/** The JSON text with one place in it replaced; without it if the replacement is undefined. */
export function withJunk(json: string, place: number, replacement: unknown): string {
  const value: unknown = JSON.parse(json);
  const paths = placesIn(value);
  return JSON.stringify(replacedAt(value, paths[place % paths.length] ?? [], () => replacement)) ?? '';
}

/** Makes the changes in each script of JSON that a page holds, and leaves the rest of the page alone. */
export function driftPage(html: string, changes: readonly Change[], spared?: Spared): string {
  return inScripts(html, (json) => drift(json, changes, spared));
}

/** Changes each script of JSON that a page holds. */
export function inScripts(html: string, change: (json: string) => string): string {
  return html.replaceAll(
    /(<script[^>]*application\/json[^>]*>)([^<]*)(<\/script>)/g,
    (whole: string, open: string, json: string, close: string) => {
      try {
        return open + change(json).replaceAll('<', '\\u003c') + close;
      } catch {
        return whole;
      }
    },
  );
}

function changedAt(value: unknown, place: Place, kind: ChangeKind): unknown {
  const key = place.at(-1);
  if (kind !== 'drop' || key === undefined) return replacedAt(value, place, (child) => replacementOf(child, kind));
  // An entry of a list that is gone leaves no trace; one that is of no use does.
  return replacedAt(value, place.slice(0, -1), (holder) =>
    Array.isArray(holder)
      ? holder.map((entry: unknown, index) => (index === key ? null : entry))
      : Object.fromEntries(Object.entries(holder as object).filter(([name]) => name !== key)),
  );
}

function replacementOf(value: unknown, kind: ChangeKind): unknown {
  switch (kind) {
    case 'wrap':
      return [value];
    case 'nest':
      return { node: value };
    case 'hoist':
      // Only what holds something itself: another scalar in this place would be another meaning.
      return Object.values(value ?? {}).find((child) => typeof child === 'object' && child !== null) ?? null;
    case 'empty':
      if (typeof value === 'string') return '';
      return typeof value === 'object' && value !== null ? {} : null;
    case 'type':
      if (typeof value === 'string') return { text: value };
      if (typeof value === 'number') return `about ${value}`;
      if (typeof value === 'boolean') return value ? 'yes' : 'no';
      return Array.isArray(value) || value === null ? { ...value } : [true];
    default:
      return null;
  }
}

/** Where platforms without a network are. */
export const ORIGIN = 'http://127.0.0.1:1';
export const SESSION = '42%3Aalive';

export interface ReaderKind {
  readonly platform: SpecifiedPlatform | 'youtube';
  /** On Instagram: with `SESSION`. */
  readonly isLoggedIn?: boolean;
  /** Asked instead of the platform itself. */
  readonly provider?: 'scrapecreators' | 'hikerapi';
}

/** A reader whose requests go to the transport. */
export function readerOver(transport: ScrapingTransport, { platform, isLoggedIn, provider }: ReaderKind): Platform {
  const shared = { baseUrl: ORIGIN, pacing: 'off', transport } as const;
  if (platform === 'youtube') return createYouTubePlatform({ ...shared, apiKey: SIMULATED_YOUTUBE_KEY });
  if (provider !== undefined)
    return createDataProviderPlatform({ ...shared, name: provider, platform, key: SIMULATED_PROVIDER_KEY });
  if (platform === 'tiktok') return createTikTokPlatform(shared);
  return createInstagramPlatform({ ...shared, sessionIds: isLoggedIn === true ? [SESSION] : [] });
}

/** A simulated platform without a network; `spoil` gets every body, with the number of the request. */
export function siteTransport(
  site: PlatformSite,
  origin: string,
  spoil: (body: string, request: number) => string = (body) => body,
): ScrapingTransport & { readonly requests: readonly URL[] } {
  const requests: URL[] = [];
  return {
    requests,
    async send({ url, method, headers, body }) {
      const target = new URL(url);
      requests.push(target);
      const answer = site({ method, url: new URL(target.pathname + target.search, origin), headers, body: body ?? '' });
      const text = spoil(answer.body ?? '', requests.length - 1);
      return { status: answer.status, headers: answer.headers ?? {}, body: new TextEncoder().encode(text) };
    },
    async forget() {},
    async close() {},
  };
}
