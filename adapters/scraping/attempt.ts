/** One attempt: build the request for the identity, send it, and turn what came back, or what broke, into a verdict. */
import type { Clock } from '../../core/ports/clock.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { parseRetryAfter } from './backoff.ts';
import type { CallTime } from './deadline.ts';
import type { ClientIdentity } from './identity.ts';
import { BodyEncodingError, BodyTooLargeError, UnknownEncodingError } from './transport.ts';
import type {
  ScrapingCall,
  ScrapingRequest,
  ScrapingResponse,
  ScrapingTransport,
  TransportRequest,
  TransportResponse,
  Verdict,
} from './types.ts';

export interface ExchangeSettings {
  readonly transport: ScrapingTransport;
  readonly clock: Clock;
  readonly proxyUrl: string | undefined;
  /** The cookie that makes a session one: an answer that takes it away ends the session. */
  readonly sessionCookie: string | undefined;
  readonly baseUrl: string;
  readonly hosts: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Limit of each request of the attempt. */
  readonly attemptTimeoutMs: number;
  readonly maxBodyBytes: number;
}

const NETWORK_RETRIES = 2;
const decoder = new TextDecoder('utf-8');

/** Ends an attempt with a verdict before its own answer was read: the exchange broke, or a request that it needs was refused. */
export class AttemptEnded extends Error {
  readonly verdict: Verdict<never>;

  constructor(verdict: Verdict<never>) {
    super(`The attempt ended early: ${verdict.kind}.`);
    this.verdict = verdict;
  }
}

/** @throws `PLATFORM_TIMEOUT` when the call's time is up; what the caller's own functions throw */
export async function exchange<T>(
  call: ScrapingCall<T>,
  identity: ClientIdentity,
  time: CallTime,
  settings: ExchangeSettings,
): Promise<Verdict<T>> {
  time.check();

  async function send(request: ScrapingRequest): Promise<ScrapingResponse> {
    const url = absoluteUrl(request.url, settings);
    const cookie = await identity.cookieHeader(url);
    const answer = await sendInTime(time, settings, {
      method: request.method ?? 'GET',
      url,
      headers: { ...headersOf(request, settings), ...(cookie === '' ? {} : { cookie }) },
      body: request.body,
      connectionKey: identity.connectionKey,
      proxyUrl: settings.proxyUrl?.replaceAll('{session}', encodeURIComponent(identity.connectionKey)),
      maxBodyBytes: settings.maxBodyBytes,
    });
    await identity.absorb(url, answer.headers['set-cookie']);
    const header = (name: string): string | null => {
      const value = answer.headers[name.toLowerCase()];
      return (typeof value === 'string' ? value : value?.[0]) ?? null;
    };
    const retryAfterSeconds = parseRetryAfter(header('retry-after'), settings.clock.now());
    return { url, status: answer.status, text: decoder.decode(answer.body), retryAfterSeconds, header };
  }

  try {
    const request = typeof call.request === 'function' ? await call.request(identity, send, time) : call.request;
    const response = await send(request);
    const verdict = heeding(response, await call.read(response, identity, time));
    if (!(await hasLostSession(identity, settings))) return verdict;
    // The session is asked again after hours: without its cookie, nothing could be learned from the answer.
    await identity.restore();
    return lostSession(verdict);
  } catch (error) {
    if (error instanceof AttemptEnded) return error.verdict;
    throw error;
  }
}

/** A server that is down for a while may say for how long. */
function heeding<T>({ status, retryAfterSeconds }: ScrapingResponse, verdict: Verdict<T>): Verdict<T> {
  const isHeeded = verdict.kind === 'unreadable' && status >= 500 && retryAfterSeconds !== undefined;
  return isHeeded ? { ...verdict, retryAfterSeconds } : verdict;
}

/** The shared headers are a browser's: a request with a user agent of its own goes without them. */
function headersOf({ headers = {} }: ScrapingRequest, shared: ExchangeSettings): Readonly<Record<string, string>> {
  return Object.hasOwn(headers, 'user-agent') ? headers : { ...shared.headers, ...headers };
}

async function hasLostSession(identity: ClientIdentity, { sessionCookie }: ExchangeSettings): Promise<boolean> {
  if (identity.kind !== 'session' || sessionCookie === undefined) return false;
  // Empty, or the two quotes that stand for it.
  return /^(?:"")?$/.test((await identity.cookie(sessionCookie)) ?? '');
}

/** What was answered is what a visitor without a session gets, so nothing of it is used, unless it says why by itself. */
function lostSession<T>(verdict: Verdict<T>): Verdict<T> {
  if (verdict.kind === 'blocked' && verdict.session !== undefined && verdict.session !== 'sent-away') return verdict;
  return { kind: 'blocked', reason: 'logged-out', session: 'dead' };
}

/** The limit begins with this request: what an attempt waits for before it, the pace of a page that it needs say, is not its. */
async function sendInTime(
  time: CallTime,
  { transport, attemptTimeoutMs }: ExchangeSettings,
  request: Omit<TransportRequest, 'signal'>,
): Promise<TransportResponse> {
  time.check();
  const limit = AbortSignal.timeout(attemptTimeoutMs);
  const signal = AbortSignal.any([time.signal, limit]);
  try {
    // A transport of the operator's may not heed the signal.
    return checked(await untilAborted(transport.send({ ...request, signal }), signal), request);
  } catch (error) {
    if (time.signal.aborted) throw time.timeoutError();
    throw new AttemptEnded(verdictOn(error, limit.aborted));
  }
}

/** Holds a transport to its contract, since it may be the operator's own. */
function checked(
  answer: TransportResponse,
  { maxBodyBytes }: Pick<TransportRequest, 'maxBodyBytes'>,
): TransportResponse {
  const { status, headers, body } = (answer ?? {}) as Partial<TransportResponse>;
  const isAnswer = Number.isInteger(status) && typeof headers === 'object' && headers !== null;
  if (!isAnswer || !(body instanceof Uint8Array)) {
    throw new AttemptEnded({ kind: 'unreadable', reason: 'transport-answer' });
  }
  if (body.length > maxBodyBytes) throw new BodyTooLargeError(`The body is larger than ${maxBodyBytes} bytes.`);
  return answer;
}

function verdictOn(error: unknown, timedOut: boolean): Verdict<never> {
  if (timedOut) return { kind: 'unreadable', reason: 'timeout', retries: 1, immediately: true };
  if (error instanceof AttemptEnded) return error.verdict;
  if (error instanceof BodyTooLargeError) return { kind: 'unreadable', reason: 'body-too-large' };
  if (error instanceof UnknownEncodingError) {
    // In characters that a log and an answer may hold.
    const encoding = error.encoding.replaceAll(/[^a-z0-9, _-]/g, '?');
    return { kind: 'unreadable', reason: `unknown-encoding: ${encoding}`, retries: 1 };
  }
  if (error instanceof BodyEncodingError) return { kind: 'unreadable', reason: 'broken-body', retries: 1 };
  return { kind: 'unreadable', reason: 'network', retries: NETWORK_RETRIES };
}

/** @throws TypeError for a URL outside the platform's hosts: that is a defect of the adapter, never to be sent. */
function absoluteUrl(url: string, settings: ExchangeSettings): string {
  if (url.startsWith('/')) return new URL(`${settings.baseUrl.replace(/\/$/, '')}${url}`).href;
  const parsed = new URL(url);
  const known = parsed.origin === new URL(settings.baseUrl).origin || settings.hosts.includes(parsed.host);
  if (!known) throw new TypeError(`The host ${parsed.host} is not one of this platform's.`);
  return parsed.href;
}
