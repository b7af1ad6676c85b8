/** Identities: a cookie jar and a connection of their own, never shared (a session seen from two addresses is soon dead). */
import type { Cookie } from 'tough-cookie';
import { late } from '../../core/late.ts';
import type { Identity } from './types.ts';

/** An identity as the client handles it. */
export interface ClientIdentity extends Identity {
  /** Changes on rotation, so that transports open a fresh connection. */
  readonly connectionKey: string;
  cookieHeader(url: string): Promise<string>;
  /** Stores the cookies of a response. Those that do not fit the host are ignored, unless they take one of ours away. */
  absorb(url: string, setCookie: string | readonly string[] | undefined): Promise<void>;
  /** Puts the cookies that it was made with back, whatever became of them. */
  restore(): Promise<void>;
}

const MAX_SET_COOKIES = 50;
const MAX_COOKIE_LENGTH = 4096;
/** A cookie that is taken away: its value is empty, or the two quotes that stand for it. */
const EMPTY = /^\s*([^=;\s]+)=(?:"")?\s*(?:;|$)/;

export function createIdentity(options: {
  readonly kind: Identity['kind'];
  readonly label: string;
  readonly connectionKey: string;
  readonly baseUrl: string;
  readonly cookies?: Readonly<Record<string, string>>;
}): ClientIdentity {
  /** Names of the cookies in the jar that are ours. The platform's own are for its whole domain, ours for the host alone. */
  const ours = new Set<string>();
  const cookieJar = late(async () => {
    const { CookieJar, canonicalDomain, domainMatch } = await import('tough-cookie');
    const jar = new CookieJar();
    const host = canonicalDomain(new URL(options.baseUrl).hostname) ?? '';
    for (const [name, value] of Object.entries(options.cookies ?? {})) {
      jar.setCookieSync(`${name}=${value}; Path=/`, options.baseUrl);
      ours.add(name);
    }
    return {
      jar,
      /** Without this, a cookie of ours would stay beside the one that the platform renews or deletes for its domain. */
      async giveWay({ key, domain, path, hostOnly }: Cookie) {
        if (!ours.has(key) || path !== '/' || domain === null || !domainMatch(host, domain)) return;
        if (hostOnly === true && domain !== host) return;
        ours.delete(key);
        if (domain !== host) await jar.store.removeCookie(host, '/', key);
      },
      /** Stores one of ours in place of those of its name, which would be sent beside it. */
      async replace(name: string, value: string) {
        for (const { key, domain, path } of await jar.getCookies(options.baseUrl)) {
          if (key === name) await jar.store.removeCookie(domain, path, key);
        }
        await jar.setCookie(`${name}=${value}; Path=/`, options.baseUrl);
        ours.add(name);
      },
    };
  });
  return {
    kind: options.kind,
    label: options.label,
    connectionKey: options.connectionKey,
    memory: new Map(),
    async cookie(name) {
      const cookies = await (await cookieJar()).jar.getCookies(options.baseUrl);
      return cookies.find((cookie) => cookie.key === name)?.value;
    },
    async setCookie(name, value) {
      await (await cookieJar()).replace(name, value);
    },
    cookieHeader: async (url) => (await cookieJar()).jar.getCookieString(url),
    async absorb(url, setCookie) {
      const lines = setCookie === undefined ? [] : typeof setCookie === 'string' ? [setCookie] : setCookie;
      const { jar, giveWay, replace } = await cookieJar();
      for (const line of lines.slice(0, MAX_SET_COOKIES)) {
        if (line.length > MAX_COOKIE_LENGTH) continue;
        const stored = await jar.setCookie(line, url, { ignoreError: true });
        const taken = stored === undefined ? EMPTY.exec(line)?.[1] : undefined;
        if (stored !== undefined) await giveWay(stored);
        // A server that replaces the platform may hand on what the platform says for its own domain.
        else if (taken !== undefined && ours.has(taken)) await replace(taken, '');
      }
    },
    async restore() {
      const { replace } = await cookieJar();
      for (const [name, value] of Object.entries(options.cookies ?? {})) await replace(name, value);
    },
  };
}
