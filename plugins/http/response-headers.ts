/** Header fields of responses, for the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiComponentsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { REPLAYED, takesIdempotencyKey } from './idempotency-key.ts';
import type { Route } from './route.ts';

const DESCRIPTIONS = {
  'x-request-id': ['string', 'Names the request in the logs: the `x-request-id` that was sent, or a new one.'],
  'ratelimit-policy': ['string', 'The limits of the route: name, quota `q`, window `w` in seconds.'],
  ratelimit: ['string', 'What is left: name, remaining units `r`, seconds `t` until the window ends.'],
  'retry-after': ['integer', 'Seconds to wait.'],
  [REPLAYED]: ['string', '`true` if the answer was stored under the `Idempotency-Key` of the request.'],
  'www-authenticate': ['string', '`Bearer`.'],
} as const;

const REFERENCE = '#/components/headers/';

type HeaderName = keyof typeof DESCRIPTIONS;

/** The header components that the operations of `paths` refer to. */
export function headerComponents(paths: object): NonNullable<ZodOpenApiComponentsObject['headers']> {
  const names = new Set<string>();
  JSON.stringify(paths, (key, value: unknown) => {
    if (key === '$ref') names.add(String(value).replace(REFERENCE, ''));
    // Schemas of zod are no part of the search.
    return value instanceof z.ZodType ? undefined : value;
  });
  return Object.fromEntries(
    Object.entries(DESCRIPTIONS)
      .filter(([name]) => names.has(name))
      .map(([name, [type, description]]) => [name, { description, schema: { type } }]),
  );
}

function refer(names: readonly HeaderName[]): NonNullable<ZodOpenApiResponseObject['headers']> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `${REFERENCE}${name}` }]));
}

/** Of a success. */
export function successHeaders(route: Route): NonNullable<ZodOpenApiResponseObject['headers']> {
  const names: HeaderName[] = ['x-request-id'];
  if (route.limits) names.push('ratelimit-policy', 'ratelimit');
  if (takesIdempotencyKey(route)) names.push(REPLAYED);
  return refer(names);
}

/** Refusals with these are never stored under a key. */
const BEFORE_HANDLERS = new Set([401, 403, 413, 415]);

/** Of a failure with this status. */
export function failureHeaders(status: number, route: Route): NonNullable<ZodOpenApiResponseObject['headers']> {
  const names: HeaderName[] = ['x-request-id'];
  if (status === 401) names.push('www-authenticate');
  if (status === 429 || status === 503) names.push('retry-after');
  if (takesIdempotencyKey(route)) {
    if (status === 409) names.push('retry-after');
    if (status < 429 && !BEFORE_HANDLERS.has(status)) names.push(REPLAYED);
  }
  if (status === 429) names.push('ratelimit-policy', 'ratelimit');
  return refer(names);
}
