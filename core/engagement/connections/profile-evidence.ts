/**
 * What in a web proof shows that somebody controls a profile. Two things do: the platform's answer about the account that is
 * logged in (only its owner is), and a page of the profile with the connection request's one-time code in it (only its
 * owner can put it there). A public page alone shows nothing.
 */
import { isValidHandle, normaliseHandle } from '../../lookups/handle.ts';
import type { PlatformName } from '../../lookups/platform-name.ts';
import { readJson, UnreadableJsonError } from '../../web-proof/extraction/read-json.ts';
import type { VerifiedWebProof } from '../../web-proof/verify.ts';

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
  const url = new URL(proof.url);
  if (!pages.hosts.includes(proof.serverName)) return no(`it is from ${proof.serverName}, not from ${platform}`);
  if (proof.request.method !== 'GET' || proof.response.status !== 200) return no('it is not a successful GET request');
  const handle = ownAccountHandle(proof, pages, url) ?? codedProfileHandle(proof, pages, url, code);
  if (handle === null) {
    return no('it neither answers about the account that is logged in nor shows a profile with the one-time code');
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
  return proof.response.text?.includes(code) ? pages.profileOf(url) : null;
}

function pathOf(url: URL): string {
  return url.pathname.length > 1 && url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
}

function single(pattern: RegExp, url: URL): string | null {
  return pattern.exec(pathOf(url))?.[1] ?? null;
}

function no(reason: string): ProfileEvidence {
  return { shown: false, reason };
}
