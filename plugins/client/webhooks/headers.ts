import { WebhookVerificationError } from './verification-error.ts';

/** `Headers` of the web platform, or a record as Node.js and most frameworks have it. Names may be in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns one header, or undefined if the request has none.
 * @throws WebhookVerificationError `INVALID_HEADER` if it is there more than once: which one to trust cannot be told
 * @throws WebhookVerificationError `MISSING_HEADER` without any headers
 */
export function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) {
    throw new WebhookVerificationError(
      'MISSING_HEADER',
      'No headers are given. Pass the headers of the request as the second argument, such as request.headers.',
    );
  }
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value)
    .filter((value) => typeof value === 'string');
  if (values.length > 1) {
    throw new WebhookVerificationError('INVALID_HEADER', `The header ${name} is there ${values.length} times.`);
  }
  return values[0];
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
