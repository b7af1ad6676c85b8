/** An Instagram adapter whose requests a function answers, for bodies that no simulated site gives. */
import {
  createInstagramPlatform,
  type InstagramPlatform,
  type InstagramPlatformOptions,
} from '../../../adapters/instagram/index.ts';
import type { TransportRequest, TransportResponse } from '../../../adapters/scraping/index.ts';
import { ROUTES, relayPage } from '../../../hosts/platform-simulator/instagram/pages.ts';
import { bytes } from '../scraping/scripted-transport.ts';

/** A body as JSON, or as text; 200 by default. */
export interface Answer {
  readonly status?: number;
  readonly headers?: TransportResponse['headers'];
  readonly body?: unknown;
}

export const ORIGIN = 'https://www.instagram.com';

export function instagramAnswering(
  answer: (path: string, request: TransportRequest) => Answer,
  options: InstagramPlatformOptions = {},
): { readonly platform: InstagramPlatform; readonly requests: readonly TransportRequest[] } {
  const requests: TransportRequest[] = [];
  const platform = createInstagramPlatform({
    pacing: 'off',
    ...options,
    transport: async (request) => {
      requests.push(request);
      const { status = 200, headers = {}, body = '' } = answer(new URL(request.url).pathname, request);
      return { status, headers, body: bytes(typeof body === 'string' ? body : JSON.stringify(body)) };
    },
  });
  return { platform, requests };
}

/** A page of a post's route with the results of its queries; without any, the page of throttled readers. */
export const postPage = (...results: readonly Readonly<Record<string, unknown>>[]): Answer => ({
  body: relayPage(ROUTES.post, results).body,
});

export const profilePage = (...results: readonly Readonly<Record<string, unknown>>[]): Answer => ({
  body: relayPage(ROUTES.profile, results).body,
});

/** The query that a request sends. */
export const queryOf = ({ body }: TransportRequest): string =>
  new URLSearchParams(body).get('fb_api_req_friendly_name') ?? '';
