/** Finds out why a server refuses every handshake that could be proven. */
import { once } from 'node:events';
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { CheckedAddress } from '../../core/ports/egress.ts';
import type { TlsRequest } from '../../core/ports/tls-exchange.ts';
import { connectChecked } from '../egress-guard/index.ts';
import type { OfferName } from './tls-contexts.ts';

const PROVABLE_SUITE = /^TLS_ECDHE_(?:ECDSA|RSA)_WITH_AES_(?:128|256)_GCM_/;
const PROVABLE_CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1'];

/**
 * Connects again with wider offers, up to three times, sends nothing and looks at what the server chooses.
 * @returns the reason, which reads on from "the server "; null when no offer tells, or the signal fires.
 */
export async function diagnose(
  { serverName, port }: Pick<TlsRequest, 'serverName' | 'port'>,
  addresses: readonly CheckedAddress[],
  contextFor: (offer: OfferName) => SecureContext,
  signal: AbortSignal,
): Promise<string | null> {
  const probe = async (offer: OfferName, explain: (tls: TLSSocket) => string): Promise<string | null> => {
    const socket = await connectChecked(addresses, port, signal).catch(() => null);
    if (socket === null) return null;
    // What it says proves nothing, so that nothing has to be trusted.
    const secureContext = contextFor(offer);
    const tls = tlsConnect({ socket, servername: serverName, secureContext, rejectUnauthorized: false });
    tls.on('error', () => {});
    try {
      const connected = await once(tls, 'secureConnect', { signal }).catch(() => null);
      return connected === null ? null : explain(tls);
    } finally {
      tls.destroy();
    }
  };
  return (
    (await probe('anyCipher', unprovableSuite)) ??
    (await probe('anyTls12', unprovableChoice)) ??
    (await probe('tls13', () => 'offers no TLS 1.2'))
  );
}

function unprovableSuite(tls: TLSSocket): string {
  return `offers no ECDHE cipher suite with AES-GCM, but such as ${tls.getCipher().standardName}`;
}

/** Of a server that refused all suites on the curves that can be proven. */
function unprovableChoice(tls: TLSSocket): string {
  if (!PROVABLE_SUITE.test(tls.getCipher().standardName)) return unprovableSuite(tls);
  const { publicKey } = tls.getPeerX509Certificate() ?? {};
  const curve = publicKey?.asymmetricKeyDetails?.namedCurve;
  if (publicKey?.asymmetricKeyType === 'ec' && !PROVABLE_CURVES.includes(curve)) {
    return `has a certificate with a key on ${curve}, which this proof format does not know`;
  }
  const ephemeral = tls.getEphemeralKeyInfo();
  const name = ephemeral !== null && 'name' in ephemeral ? ephemeral.name : undefined;
  if (name !== undefined && name !== 'prime256v1') return `offers no key exchange over P-256, but such as over ${name}`;
  return 'signs in a way that this proof format does not know';
}
