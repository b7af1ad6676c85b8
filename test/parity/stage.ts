/** What the areas play on: an instance, three callers, and a transcript of every exchange with a row of the route table. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { encode, type ZodType } from 'zod';
import { ERROR_CATALOGUE, type ErrorCode } from '../../core/errors.ts';
import { errorCodesOf, errorSchemas } from '../../plugins/http/openapi.ts';
import type { Route } from '../../plugins/http/route.ts';
import type { ApiAnswer, JsonValue } from '../support/client.ts';
import type { TestInstance } from '../support/instance.ts';
import { sendRaw } from '../support/wire.ts';
import { normaliseHeaders, normaliseText } from './normalise.ts';

export type CallerName = 'admin' | 'client' | 'creator';

export interface Exchange {
  /** Values of the path's placeholders; encoded here. */
  readonly params?: Readonly<Record<string, string | number | JsonValue>>;
  readonly query?: string | Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** Instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  /** Announces a body of so many bytes and sends `raw` of it. */
  readonly announced?: number;
  /** `admin` by default; null sends no token, other text is the token itself. */
  readonly as?: CallerName | null | { readonly token: string };
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Recorded {
  readonly route: string;
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Stage {
  readonly instance: TestInstance;
  readonly transcript: Recorded[];
  /** Row ids that were answered with success. */
  readonly succeeded: ReadonlySet<string>;
  /** `<row id> <code>` of every refusal that was answered. */
  readonly refused: ReadonlySet<string>;
  /**
   * One exchange with a row. Its status has to be documented for the row, and its body to match the schema of that status
   * to the last field. Recorded unless `record` is false.
   */
  send(routeId: string, exchange?: Exchange, record?: boolean): Promise<ApiAnswer>;
  /** An exchange that has to be answered with this status; returns the body. */
  ok(status: number, routeId: string, exchange?: Exchange): Promise<JsonValue>;
  /** An exchange that has to be refused with this code. */
  refuse(code: ErrorCode, routeId: string, exchange?: Exchange): Promise<ApiAnswer>;
  /** Repeats an exchange until `done`, and records the last one only. */
  until(routeId: string, exchange: Exchange, done: (body: JsonValue) => boolean): Promise<JsonValue>;
  /** Notes something else that has to be the same everywhere. */
  note(text: string, value: unknown): void;
  /** The events that came to the receiver since the last call, once there are `count`, in an order that does not vary. */
  events(count: number): Promise<readonly ReceivedEvent[]>;
}

export interface ReceivedEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const PATIENCE_MS = 15_000;

export async function setStage(instance: TestInstance): Promise<Stage> {
  const { credence, api, adminToken, receiver } = instance;
  const rows = new Map(credence.routes.map((route) => [route.id, route]));
  const transcript: Recorded[] = [];
  const succeeded = new Set<string>();
  const refused = new Set<string>();
  let eventsSeen = 0;
  const tokens = {
    admin: adminToken,
    client: await makeToken({ name: 'parity client', role: 'client' }),
    creator: await makeToken({ name: 'parity creator', role: 'creator', externalId: 'parity-creator' }),
  };

  async function makeToken(body: object): Promise<string> {
    const { json } = await api.call('POST', '/admin/tokens', { body });
    return String(json.data?.token);
  }

  function tokenOf(as: Exchange['as'] = 'admin'): string | null {
    if (as === null) return null;
    return typeof as === 'string' ? tokens[as] : as.token;
  }

  function rowOf(routeId: string): Route {
    const route = rows.get(routeId);
    if (route === undefined) throw new Error(`The table has no row ${routeId}.`);
    return route;
  }

  async function send(routeId: string, exchange: Exchange = {}, record = true): Promise<ApiAnswer> {
    const route = rowOf(routeId);
    const { body, raw, headers } = exchange;
    const path = pathOf(route, exchange);
    const token = tokenOf(exchange.as);
    const answer =
      exchange.announced === undefined
        ? await api.call(route.method, path, {
            token,
            ...(body === undefined ? {} : { body }),
            ...(raw === undefined ? {} : { raw }),
            ...(headers === undefined ? {} : { headers }),
          })
        : await announce(route.method, path, token, exchange);
    checkDocumented(route, answer);
    const code = shownCode(route, answer);
    if (answer.status < 400) succeeded.add(routeId);
    else if (code !== undefined) refused.add(`${routeId} ${code}`);
    if (record) {
      const what = `${route.method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`;
      transcript.push({
        route: routeId,
        request: normaliseText(what),
        status: answer.status,
        headers: normaliseHeaders(answer.headers),
        body: recordedBody(answer),
      });
    }
    return answer;
  }

  async function announce(method: string, path: string, token: string | null, exchange: Exchange): Promise<ApiAnswer> {
    const answer = await sendRaw(instance.baseUrl, {
      method,
      path,
      body: exchange.raw ?? '',
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
        'content-length': String(exchange.announced),
        ...exchange.headers,
      },
    });
    const fields = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return { ...answer, headers: new Headers(fields), json: JSON.parse(answer.text) };
  }

  return {
    instance,
    transcript,
    succeeded,
    refused,
    send,
    async ok(status, routeId, exchange) {
      const answer = await send(routeId, exchange);
      expect(answer.status, `${routeId}: ${answer.text}`).toBe(status);
      return answer.json;
    },
    async refuse(code, routeId, exchange) {
      const answer = await send(routeId, exchange);
      const { status } = ERROR_CATALOGUE[code];
      const shown = { status: answer.status, code: shownCode(rowOf(routeId), answer) };
      expect(shown, `${routeId}: ${answer.text}`).toEqual({ status, code });
      return answer;
    },
    async until(routeId, exchange, done) {
      for (const end = Date.now() + PATIENCE_MS; ; await sleep(20)) {
        const { json, text } = await send(routeId, exchange, false);
        if (done(json)) return (await send(routeId, exchange)).json;
        if (Date.now() > end) throw new Error(`${routeId} did not get there; it says ${text}`);
      }
    },
    note(text, value) {
      const body = normaliseText(JSON.stringify(value) ?? 'undefined');
      transcript.push({ route: '', request: text, status: 0, headers: {}, body });
    },
    async events(count) {
      await receiver.waitFor(eventsSeen + count, PATIENCE_MS);
      const fresh = receiver.received.slice(eventsSeen).map(({ body }) => JSON.parse(body) as ReceivedEvent);
      eventsSeen = receiver.received.length;
      return fresh.sort((a, b) => rankOf(a).localeCompare(rankOf(b)));
    },
  };
}

/** A script varies in nothing and is large: its digest stands for it. */
function recordedBody({ headers, text }: ApiAnswer): string {
  if (!headers.get('content-type')?.startsWith('text/javascript')) return normaliseText(text);
  return createHash('sha256').update(text).digest('hex');
}

function rankOf({ event, data }: ReceivedEvent): string {
  return `${String(data.attemptId).padStart(9, '0')} ${event}`;
}

function pathOf(route: Route, { params = {}, query = '' }: Exchange): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${route.id} needs ${name}.`);
    return encodeURIComponent(String(value));
  });
  const entries = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const text = typeof query === 'string' ? query : new URLSearchParams(entries).toString();
  return text === '' ? path : `${path}?${text}`;
}

const known = new WeakMap<Route, ReadonlyMap<number, ZodType | undefined>>();

/** The statuses that the OpenAPI document tells of, with the schema of each. */
export function documentedStatuses(route: Route): ReadonlyMap<number, ZodType | undefined> {
  const found = known.get(route);
  if (found !== undefined) return found;
  const errors = errorCodesOf(route).map(
    (code) => [ERROR_CATALOGUE[code].status, errorSchemas[route.dialect ?? 'engagement']] as const,
  );
  const own = Object.entries(route.responses).map(([status, { schema }]) => [Number(status), schema] as const);
  const documented = new Map([...errors, ...own]);
  known.set(route, documented);
  return documented;
}

/**
 * The code of a refusal as its dialect shows it. v1 and the pages show a status and words. Theirs is the documented code of
 * that status, and of v1's two of 400 the one about presentations says so.
 */
function shownCode(route: Route, answer: ApiAnswer): ErrorCode | undefined {
  const { code } = answer.json.error ?? {};
  if (code !== undefined) return String(code) as ErrorCode;
  const fitting = errorCodesOf(route).filter((one) => ERROR_CATALOGUE[one].status === answer.status);
  if (fitting.length < 2) return fitting[0];
  const isUnreadable = String(answer.json.error).includes('be decoded as a presentation');
  return fitting.find((one) => (one === 'INVALID_PRESENTATION') === isUnreadable);
}

function checkDocumented(route: Route, answer: ApiAnswer): void {
  const { id } = route;
  const documented = documentedStatuses(route);
  // Thousands of exchanges: what `expect` would say is put together only if it fails.
  if (!documented.has(answer.status)) expect.fail(`${id} answered ${answer.status}, not documented: ${answer.text}`);
  if (answer.status >= 400 && !(answer.status in route.responses)) {
    expect(errorCodesOf(route), `${id} answered ${answer.text}`).toContain(shownCode(route, answer));
  }
  expect(answer.headers.get('x-request-id'), id).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
  const schema = documented.get(answer.status);
  if (schema === undefined) return;
  expect(answer.headers.get('content-type'), id).toBe('application/json; charset=utf-8');
  const { data, error } = schema.safeParse(answer.json);
  if (error !== undefined) expect(error.issues, `${id} ${answer.status}: ${answer.text}`).toEqual([]);
  // A field that the schema does not know would have been dropped.
  const encoded = encode(schema, data);
  if (!isDeepStrictEqual(encoded, answer.json)) expect(encoded, `${id} ${answer.status}`).toEqual(answer.json);
}
