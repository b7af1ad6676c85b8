/**
 * What in a web proof shows that somebody controls a profile. Two things do: the platform's answer about the account that is
 * logged in (only its owner is), and a page of the profile with the connection request's one-time code in it (only its
 * owner can put it there). A public page alone shows nothing, and neither does a code that the client may have sent itself:
 * pages repeat what they are asked for.
 */
import { isValidHandle, normaliseHandle } from '../../lookups/handle.ts';
import type { PlatformName } from '../../lookups/platform-name.ts';
import { readJson, UnreadableJsonError } from '../../web-proof/extraction/read-json.ts';
import { decodeLatin1 } from '../../web-proof/http/text.ts';
import type { VisibleBytes } from '../../web-proof/http/visible-bytes.ts';
import type { VerifiedWebProof } from '../../web-proof/verify.ts';
import { hidesSoundly } from './sound-hiding.ts';

export type ProfileEvidence =
  | { readonly shown: true; readonly handle: string }
  | { readonly shown: false; readonly reason: string };

interface OwnAccountEndpoint {
  readonly path: string;
  /** Canonical path of the handle in the answer. */
  readonly handleAt: string;
}

interface PlatformPages {
  readonly hosts: readonly string[];
  /** Endpoints that answer about whoever is logged in. */
  readonly ownAccount: readonly OwnAccountEndpoint[];
  /** The handle whose profile a URL shows; null for other pages. */
  readonly profileOf: (url: URL) => string | null;
}

const PAGES: Readonly<Record<PlatformName, PlatformPages>> = {
  instagram: {
    hosts: ['www.instagram.com', 'instagram.com', 'i.instagram.com'],
    ownAccount: [
      { path: '/api/v1/accounts/current_user', handleAt: 'user.username' },
      { path: '/api/v1/accounts/edit/web_form_data', handleAt: 'form_data.username' },
    ],
    profileOf: (url) =>
      pathOf(url) === '/api/v1/users/web_profile_info' ? url.searchParams.get('username') : single(/^\/([^/@]+)$/, url),
  },
  tiktok: {
    hosts: ['www.tiktok.com', 'tiktok.com'],
    ownAccount: [{ path: '/passport/web/account/info', handleAt: 'data.username' }],
    profileOf: (url) => single(/^\/@([^/]+)$/, url),
  },
};

/**
 * Judges a verified proof. `expected` is the handle the request was opened for, or null when any handle will do; `code` is
 * the request's one-time code.
 */
export function profileEvidence(
  proof: VerifiedWebProof,
  platform: PlatformName,
  expected: string | null,
  code: string,
): ProfileEvidence {
  const pages = PAGES[platform];
  if (!proof.notaryTrusted) return no('its notary is not a trusted one');
  if (!proof.hostConfirmed || proof.urlHidden) return no('its URL or its Host header is hidden');
  if (!pages.hosts.includes(proof.serverName)) return no(`it is from ${proof.serverName}, not from ${platform}`);
  if (proof.request.method !== 'GET' || proof.response.status !== 200) return no('it is not a successful GET request');
  const url = plainUrl(proof.url);
  if (url === null) return no('its URL is not written as browsers write it');
  const ownHandle = ownAccountHandle(proof, pages, url);
  if (ownHandle !== null && !hidesSoundly(proof)) {
    return no('what it hides could be another request or answer: hide nothing but values of request headers');
  }
  const handle = ownHandle ?? codedProfileHandle(proof, pages, url, code);
  if (handle === null) {
    return no(
      'it neither answers about the account that is logged in nor shows a profile with the one-time code, asked for by a request that is all visible and does not contain it',
    );
  }
  const normalised = normaliseHandle(handle);
  if (!isValidHandle(platform, normalised)) return no('it names no handle');
  if (expected !== null && normalised !== expected) return no(`it is about @${normalised}, not about @${expected}`);
  return { shown: true, handle: normalised };
}

function ownAccountHandle(proof: VerifiedWebProof, { ownAccount }: PlatformPages, url: URL): string | null {
  const endpoint = ownAccount.find(({ path }) => path === pathOf(url));
  const content = proof.response.content;
  if (!endpoint || !content) return null;
  try {
    const handle = readJson(content.bytes, content.hidden).scalars?.get(endpoint.handleAt);
    return handle?.kind === 'string' ? handle.text : null;
  } catch (error) {
    if (error instanceof UnreadableJsonError) return null;
    throw error;
  }
}

function codedProfileHandle(proof: VerifiedWebProof, pages: PlatformPages, url: URL, code: string): string | null {
  const shown = proof.response.text?.includes(code) && !mayContain(proof.transcript.sent, code);
  return shown ? pages.profileOf(url) : null;
}

/** True too where a part is hidden: nobody can tell what it says. */
function mayContain({ bytes, hidden }: VisibleBytes, code: string): boolean {
  const text = decodeLatin1(bytes).replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return hidden.length > 0 || text.toLowerCase().includes(code);
}

/** Null for what a URL parser straightens out (`..`, a fragment): the server may have understood another page by it. */
function plainUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.href === text && !text.includes('#') ? url : null;
}

function pathOf(url: URL): string {
  return url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
}

function single(pattern: RegExp, url: URL): string | null {
  return pattern.exec(pathOf(url))?.[1] ?? null;
}

function no(reason: string): ProfileEvidence {
  return { shown: false, reason };
}
