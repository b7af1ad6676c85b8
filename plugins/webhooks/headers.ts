import { WebhookVerificationError } from './verification-error.ts';

/** `Headers` of the web platform, or a record as Node.js and most frameworks have it. Names may be in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns one header, or undefined if the request has none.
 * @throws WebhookVerificationError `INVALID_HEADER` if it is there more than once: which one to trust cannot be told
 */
export function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
  if (values.length > 1) {
    throw new WebhookVerificationError('INVALID_HEADER', `The header ${name} is there ${values.length} times.`);
  }
  return values[0];
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
