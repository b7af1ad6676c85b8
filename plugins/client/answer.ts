/** Reads answers: bounded, as JSON, and refusals of all three dialects. */
import { CredenceConnectionError, type Refusal } from './errors.ts';

/**
 * Reads a body of at most `maxBytes`.
 * @throws CredenceConnectionError for a larger one
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => undefined);
      throw new CredenceConnectionError(`The answer is larger than ${maxBytes} bytes: set maxAnswerBytes.`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Null for what is not JSON. */
export function parseJson(text: string): { readonly value: unknown } | null {
  if (text === '') return { value: null };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Whether a body is a refusal of Credence, in any of its dialects. */
export function isRefusal(body: unknown): boolean {
  const { error, success } = fieldsOf(body);
  return typeof fieldsOf(error).code === 'string' || (success === false && typeof error === 'string');
}

/** What a refusal says, as far as it is one of Credence. */
export function refusalOf({ status, headers }: Response, body: unknown): Refusal {
  const outer = fieldsOf(body);
  // The oldest dialect has a text in the place of the object.
  const error = typeof outer.error === 'object' ? fieldsOf(outer.error) : outer;
  const message = [error.message, error.error].find((text) => typeof text === 'string');
  const { code, details, requestId } = error;
  return {
    status,
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : `The call was refused with status ${status}.`,
    details: typeof details === 'object' && details !== null ? fieldsOf(details) : undefined,
    requestId: typeof requestId === 'string' ? requestId : headers.get('x-request-id'),
    retryAfterSeconds: retryAfterOf(headers.get('retry-after')),
  };
}

/** Seconds or a date (RFC 9110). */
function retryAfterOf(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** The members of an object; none for another value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
