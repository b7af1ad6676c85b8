import { DomainError } from '../../errors.ts';
import { type EgressGuard, EgressRefused } from '../../ports/egress.ts';

/**
 * Refuses webhook URLs that can never get a delivery: other schemes, credentials in the URL, and addresses and ports that the
 * egress guard refuses. Checks only literal addresses and `localhost`. A name can resolve to another address later, so names
 * are checked at every delivery.
 *
 * @throws DomainError `INVALID_REQUEST`
 */
export async function checkWebhookUrl(guard: EgressGuard, text: string): Promise<void> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw refusal('it must be an http or https URL');
  }
  if (url.username !== '' || url.password !== '') {
    throw refusal('it must not hold a user name or password; check the signature instead');
  }
  const host = url.hostname.replace(/\.$/, '');
  const isLocalhost = host === 'localhost' || host.endsWith('.localhost');
  try {
    if (isLocalhost || isAddress(host)) await guard.resolve(isLocalhost ? 'localhost' : host, portOf(url));
    else guard.checkPort(portOf(url));
  } catch (error) {
    if (error instanceof EgressRefused) throw refusal(error.message, error);
    throw error;
  }
}

/** The URL parser has brought every notation of an IPv4 address to four decimals and put IPv6 into brackets. */
function isAddress(host: string): boolean {
  return host.startsWith('[') || /^[0-9.]+$/.test(host);
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function refusal(reason: string, cause?: unknown): DomainError {
  return new DomainError('INVALID_REQUEST', `The webhook URL is refused: ${reason}`, {
    details: { field: 'url' },
    cause,
  });
}
