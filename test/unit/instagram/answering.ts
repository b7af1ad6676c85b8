/** An Instagram adapter whose requests a function answers, for bodies that no simulated site gives. */
import {
  createInstagramPlatform,
  type InstagramPlatform,
  type InstagramPlatformOptions,
} from '../../../adapters/instagram/index.ts';
import type { TransportRequest } from '../../../adapters/scraping/index.ts';
import { ROUTES, relayPage } from '../../../hosts/platform-simulator/instagram/pages.ts';
import { answeringTransport, type JsonAnswer } from '../scraping/scripted-transport.ts';

export function instagramAnswering(
  answer: (path: string, request: TransportRequest) => JsonAnswer,
  options: InstagramPlatformOptions = {},
): { readonly platform: InstagramPlatform; readonly requests: readonly TransportRequest[] } {
  const transport = answeringTransport(answer);
  return { platform: createInstagramPlatform({ pacing: 'off', ...options, transport }), requests: transport.requests };
}

/** A page of a post's route with the results of its queries; without any, the page of throttled readers. */
export const postPage = (...results: readonly Readonly<Record<string, unknown>>[]): JsonAnswer => ({
  body: relayPage(ROUTES.post, results).body,
});

export const profilePage = (...results: readonly Readonly<Record<string, unknown>>[]): JsonAnswer => ({
  body: relayPage(ROUTES.profile, results).body,
});

/** The query that a request sends. */
export const queryOf = ({ body }: TransportRequest): string =>
  new URLSearchParams(body).get('fb_api_req_friendly_name') ?? '';
