/** One attempt: build the request for the identity, send it, and turn what came back, or what broke, into a verdict. */
import type { CallTime } from './deadline.ts';
import type { ClientIdentity } from './identity.ts';
import { BodyEncodingError, BodyTooLargeError } from './transport.ts';
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
  readonly baseUrl: string;
  readonly hosts: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Limit of each request of the attempt. */
  readonly attemptTimeoutMs: number;
  readonly maxBodyBytes: number;
}

const NETWORK_RETRIES = 2;
const decoder = new TextDecoder('utf-8');

/** The exchange broke before there was an answer to read. */
class BrokenExchange extends Error {
  readonly verdict: Verdict<never>;

  constructor(verdict: Verdict<never>, cause: unknown) {
    super('The exchange broke.', { cause });
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
      headers: { ...settings.headers, ...request.headers, ...(cookie === '' ? {} : { cookie }) },
      body: request.body,
      connectionKey: identity.connectionKey,
      maxBodyBytes: settings.maxBodyBytes,
    });
    await identity.absorb(url, answer.headers['set-cookie']);
    return responseOf(url, answer);
  }

  try {
    const request = typeof call.request === 'function' ? await call.request(identity, send, time) : call.request;
    return await call.read(await send(request), identity, time);
  } catch (error) {
    if (error instanceof BrokenExchange) return error.verdict;
    throw error;
  }
}

/** The limit begins with this request: what an attempt waits for before it, the pace of a page that it needs say, is not its. */
async function sendInTime(
  time: CallTime,
  { transport, attemptTimeoutMs }: ExchangeSettings,
  request: Omit<TransportRequest, 'signal'>,
): Promise<TransportResponse> {
  time.check();
  const stop = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop.abort();
  }, attemptTimeoutMs);
  const giveUp = (): void => stop.abort();
  time.signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await transport.send({ ...request, signal: stop.signal });
  } catch (error) {
    if (time.signal.aborted) throw time.timeoutError();
    throw new BrokenExchange(verdictOn(error, isLate), error);
  } finally {
    clearTimeout(timer);
    time.signal.removeEventListener('abort', giveUp);
  }
}

function verdictOn(error: unknown, timedOut: boolean): Verdict<never> {
  if (timedOut) return { kind: 'unreadable', reason: 'timeout', retries: 1, immediately: true };
  if (error instanceof BodyTooLargeError) return { kind: 'unreadable', reason: 'body-too-large' };
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

function responseOf(url: string, answer: TransportResponse): ScrapingResponse {
  let text: string | undefined;
  return {
    url,
    status: answer.status,
    get text() {
      text ??= decoder.decode(answer.body);
      return text;
    },
    header(name) {
      const value = answer.headers[name.toLowerCase()];
      return (typeof value === 'string' ? value : value?.[0]) ?? null;
    },
  };
}
