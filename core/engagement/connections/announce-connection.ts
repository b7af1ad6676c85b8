/** The event of an account that its owner has connected. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { LinkedCreator } from '../creators/creator.ts';
import type { ConnectionMethod, EventEntry } from '../webhooks/outbox.ts';
import type { ConnectionRequest } from './connection.ts';

/**
 * Makes the event for the write that links the account. Its id follows from the request and the account, so that a call that is
 * repeated after a crash announces nothing twice. Not from the request's own id: message ids are in logs, and who knows that
 * id sees the page of the request.
 */
export function announceConnection(
  request: Pick<ConnectionRequest, 'id'>,
  method: ConnectionMethod,
  proof: { readonly platformAccountId: string; readonly now: Date },
) {
  return ({ creator, account }: LinkedCreator): EventEntry => ({
    id: `account_${account.id}_${bytesToHex(sha256(utf8ToBytes(request.id)).slice(0, 16))}`,
    kind: 'event',
    event: {
      event: 'account.connected',
      timestamp: proof.now,
      brandId: null,
      data: {
        userId: creator.id,
        externalUserId: creator.externalId,
        username: account.platformUsername,
        platform: account.platform,
        socialAccountId: account.id,
        platformAccountId: proof.platformAccountId,
        method,
        requestId: request.id,
      },
    },
  });
}
