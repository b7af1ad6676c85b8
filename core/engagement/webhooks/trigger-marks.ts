import type { WebhookStore } from '../../ports/webhook-store.ts';

/**
 * Moves `lastTriggeredAt` of webhooks forward. Tries that end while a mark of their webhook is written share the next one: a
 * busy webhook is written once for many tries.
 * @returns a function that resolves once a mark as late as its own is stored. @throws what the storage throws
 */
export function createTriggerMarks(
  webhooks: Pick<WebhookStore, 'markTriggered'>,
): (webhookId: number, at: Date) => Promise<void> {
  const waiting = new Map<number, { at: Date; readonly stored: Promise<void> }>();
  const writing = new Map<number, Promise<void>>();

  async function storeNext(webhookId: number, fallback: Date): Promise<void> {
    await writing.get(webhookId)?.catch(() => undefined);
    const at = waiting.get(webhookId)?.at ?? fallback;
    waiting.delete(webhookId);
    const write = webhooks.markTriggered(webhookId, at);
    writing.set(webhookId, write);
    try {
      await write;
    } finally {
      if (writing.get(webhookId) === write) writing.delete(webhookId);
    }
  }

  return (webhookId, at) => {
    const joined = waiting.get(webhookId);
    if (joined !== undefined) {
      if (at > joined.at) joined.at = at;
      return joined.stored;
    }
    const stored = storeNext(webhookId, at);
    waiting.set(webhookId, { at, stored });
    return stored;
  };
}
