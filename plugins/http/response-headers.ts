/** Header fields of responses, for the OpenAPI document. */
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

type HeaderName = keyof typeof DESCRIPTIONS;

/** The header components that the responses of these rows refer to. */
export function headerComponents(routes: readonly Route[]): NonNullable<ZodOpenApiComponentsObject['headers']> {
  const hasLimits = routes.some(({ limits }) => limits !== undefined);
  return Object.fromEntries(
    Object.entries(DESCRIPTIONS)
      .filter(([name]) => hasLimits || !name.startsWith('ratelimit'))
      .map(([name, [type, description]]) => [name, { description, schema: { type } }]),
  );
}

function refer(names: readonly HeaderName[]): NonNullable<ZodOpenApiResponseObject['headers']> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
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
