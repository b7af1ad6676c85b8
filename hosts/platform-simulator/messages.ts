/** The requests and answers of simulated platforms. */
import type { FailureShape } from './failure-shapes.ts';

export interface SiteRequest {
  readonly method: string;
  /** Absolute, with the simulator's own origin. */
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SiteAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** How the answer is delivered; by default whole and at once. */
  readonly delivery?: 'whole' | 'hang' | 'reset' | 'endless';
  readonly latencyMs?: number;
}

/** How an endpoint words failures. Those that only its answer can show are missing, or null. */
export type Failures = Readonly<Partial<Record<FailureShape, () => SiteAnswer | null>>>;

export function html(body: string, headers: Readonly<Record<string, string | readonly string[]>> = {}): SiteAnswer {
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

export function json(value: unknown, status = 200): SiteAnswer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(value) };
}

export function redirect(location: string, status = 302): SiteAnswer {
  return { status, headers: { location }, body: '' };
}

/** Undefined if the request has no cookie of the name. */
export function cookieOf({ headers }: SiteRequest, name: string): string | undefined {
  return new RegExp(`(?:^|; *)${name}=([^;]*)`).exec(headers.cookie ?? '')?.[1];
}

/** JSON that may stand inside a script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** Counts in a form, without those that are hidden. */
export function counted<T>(counts: Readonly<Record<string, number | null>>, form: (value: number) => T) {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, value]): [string, T][] => (value === null ? [] : [[name, form(value)]])),
  );
}
