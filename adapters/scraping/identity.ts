/** Identities: a cookie jar and a connection of their own, never shared (a session seen from two addresses is soon dead). */
import { late } from '../../core/late.ts';
import type { Identity } from './types.ts';

/** An identity as the client handles it. */
export interface ClientIdentity extends Identity {
  /** Changes on rotation, so that transports open a fresh connection. */
  readonly connectionKey: string;
  cookieHeader(url: string): Promise<string>;
  /** Stores the cookies of a response; those that do not fit the host are ignored. */
  absorb(url: string, setCookie: string | readonly string[] | undefined): Promise<void>;
}

const MAX_SET_COOKIES = 50;
const MAX_COOKIE_LENGTH = 4096;

export function createIdentity(options: {
  readonly kind: Identity['kind'];
  readonly label: string;
  readonly connectionKey: string;
  readonly baseUrl: string;
  readonly cookies?: Readonly<Record<string, string>>;
}): ClientIdentity {
  const cookieJar = late(async () => {
    const { CookieJar } = await import('tough-cookie');
    const jar = new CookieJar();
    for (const [name, value] of Object.entries(options.cookies ?? {})) {
      jar.setCookieSync(`${name}=${value}; Path=/`, options.baseUrl);
    }
    return jar;
  });
  return {
    kind: options.kind,
    label: options.label,
    connectionKey: options.connectionKey,
    memory: new Map(),
    async cookie(name) {
      const cookies = await (await cookieJar()).getCookies(options.baseUrl);
      return cookies.find((cookie) => cookie.key === name)?.value;
    },
    async setCookie(name, value) {
      await (await cookieJar()).setCookie(`${name}=${value}; Path=/`, options.baseUrl);
    },
    cookieHeader: async (url) => (await cookieJar()).getCookieString(url),
    async absorb(url, setCookie) {
      const lines = setCookie === undefined ? [] : typeof setCookie === 'string' ? [setCookie] : setCookie;
      const jar = await cookieJar();
      for (const line of lines.slice(0, MAX_SET_COOKIES)) {
        if (line.length <= MAX_COOKIE_LENGTH) await jar.setCookie(line, url, { ignoreError: true });
      }
    },
  };
}
