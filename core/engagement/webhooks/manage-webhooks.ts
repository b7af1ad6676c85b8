/** Registering, changing, listing and deleting a brand's webhooks (docs/specification/engagement.md#brands-and-webhooks). */
import { inPieces } from '../../bulk.ts';
import { defined } from '../../defined.ts';
import { DomainError } from '../../errors.ts';
import type { Storage, Stores } from '../../ports/storage.ts';
import { keepIfBrandStands, requireBrand } from '../brands/own-brand.ts';
import type { Needs } from '../use-case-parts.ts';
import { checkWebhookUrl } from './check-url.ts';
import { ACCOUNT_EVENT_NAMES, type EventName } from './outbox.ts';
import { createWebhookSecret, SECRET_OVERLAP_MS, WEBHOOK_SECRET_CONTEXT } from './secret.ts';
import { type Delivery, isOperators, isWithheld, type Webhook } from './webhook.ts';

/** Every event is sent to each of them, so their number is bounded. */
export const MAX_WEBHOOKS_PER_BRAND = 100;

const PENDING_AT_ONCE = 500;

export type ManageWebhooksDeps = Needs<
  'brands' | 'webhooks' | 'deliveries',
  'wakeSender' | 'secretBox' | 'egress' | 'brandEgress' | 'random' | 'clock'
>;

export interface RegisterWebhookInput {
  readonly brandId: number;
  readonly url: string;
  /** At least one; repeated names count once. */
  readonly events: readonly EventName[];
  readonly description: string | null;
  /** False for a webhook that is paused from the start. @default true */
  readonly active?: boolean | undefined;
  /** The caller is bound to the brand: it may not ask for the operator's events. */
  readonly asBrand?: boolean;
}

/** The only time that a webhook is seen together with a new secret. */
export interface RegisteredWebhook {
  readonly webhook: Webhook;
  readonly secret: string;
}

export interface UpdateWebhookInput {
  readonly brandId: number;
  readonly webhookId: number;
  readonly changes: {
    readonly url?: string | undefined;
    readonly events?: readonly EventName[] | undefined;
    /** False pauses: what is pending waits for true, new events are not recorded for this webhook. */
    readonly active?: boolean | undefined;
    readonly description?: string | null | undefined;
  };
  /** The caller is bound to the brand: what is the operator's does not exist for it. */
  readonly asBrand?: boolean;
}

/**
 * @throws DomainError `NOT_FOUND` when there is no such brand, `INVALID_REQUEST` for a URL that cannot be delivered to,
 * `CONFLICT` when the brand has 100 webhooks. `FORBIDDEN` for an event that the caller may not ask for.
 */
export function registerWebhook(deps: ManageWebhooksDeps) {
  return async (input: RegisterWebhookInput): Promise<RegisteredWebhook> => {
    await requireBrand(deps.storage.brands, input.brandId);
    if (input.asBrand) checkOwnEvents(input);
    await checkWebhookUrl(input.asBrand ? deps.brandEgress : deps.egress, input.url);
    if ((await deps.storage.webhooks.list({ brandId: input.brandId })).length >= MAX_WEBHOOKS_PER_BRAND)
      throw tooMany();
    const secret = createWebhookSecret(deps.random);
    const webhook = await deps.storage.webhooks.create({
      brandId: input.brandId,
      url: input.url,
      events: [...new Set(input.events)],
      active: input.active ?? true,
      description: input.description,
      sealedSecret: deps.secretBox.seal(secret, WEBHOOK_SECRET_CONTEXT),
      lastTriggeredAt: null,
      createdAt: deps.clock.now(),
    });
    const withdraw = () => deps.storage.webhooks.delete(input.brandId, webhook.id);
    await keepIfBrandStands(deps.storage.brands, input.brandId, withdraw);
    // This one is counted, too. Webhooks created at the same moment see each other, so all of them may be refused.
    if ((await deps.storage.webhooks.list({ brandId: input.brandId })).length > MAX_WEBHOOKS_PER_BRAND) {
      await withdraw();
      throw tooMany();
    }
    return { webhook, secret };
  };
}

function tooMany(): DomainError {
  return new DomainError('CONFLICT', `A brand has at most ${MAX_WEBHOOKS_PER_BRAND} webhooks; delete one first.`);
}

/**
 * Changes what is given. Activating a paused webhook sends what is pending at once. Giving the operator's to its brand cancels what is
 * pending about creators. Should the process die before that is done, `recoverLostWork` does it some minutes later.
 *
 * @throws DomainError `NOT_FOUND`, `INVALID_REQUEST` for a URL that cannot be delivered to, or `FORBIDDEN` for an event that the
 * caller may not ask for.
 */
export function updateWebhook(deps: ManageWebhooksDeps) {
  return async ({ brandId, webhookId, changes, asBrand = false }: UpdateWebhookInput): Promise<Webhook> => {
    const before = await requireWebhook(deps, brandId, webhookId, asBrand);
    if (asBrand && changes.events !== undefined) checkOwnEvents({ events: changes.events });
    if (changes.url !== undefined) await checkWebhookUrl(asBrand ? deps.brandEgress : deps.egress, changes.url);
    const { url, active, description } = changes;
    const events = changes.events && [...new Set(changes.events)];
    // In the write again: an admin may have made it the operator's meanwhile, and a brand would lead its events elsewhere.
    const updated = await deps.storage.webhooks.update(
      { brandId, id: webhookId },
      defined({ url, events, active, description }),
      asBrand ? ACCOUNT_EVENT_NAMES : [],
    );
    if (updated === null) throw noWebhook(brandId, webhookId);
    if (isOperators(before) && !isOperators(updated)) await withholdPending(deps, updated);
    if (updated.active && !before.active) {
      const now = deps.clock.now();
      // As if all of it had waited since 1970: it is due, whatever its next try was to wait for.
      await deps.storage.deliveries.afterSetBack(now, now.getTime(), updated.id);
      deps.wakeSender();
    }
    return updated;
  };
}

/**
 * At once: their next tries may be hours away. Until then an admin may take the webhook back, with the URL that the brand has set.
 */
async function withholdPending({ storage, clock }: Pick<ManageWebhooksDeps, 'storage' | 'clock'>, webhook: Webhook) {
  const pending = inPieces<Delivery>(async (last) => {
    const page = { page: 1, limit: PENDING_AT_ONCE, after: last && { id: last.id } };
    return (await storage.deliveries.list(webhook.id, page, { status: 'pending' })).items;
  });
  for await (const some of pending) {
    const withheld = some.filter((delivery) => isWithheld(webhook, delivery));
    await Promise.all(withheld.map((delivery) => withhold(storage, delivery, clock.now())));
  }
}

/** Cancels a pending delivery that its webhook may not get any more (`isWithheld`, or erased), and says so in its log. */
export async function withhold(
  { deliveries }: Pick<Storage, 'deliveries'>,
  { id }: Pick<Delivery, 'id'>,
  now: Date,
): Promise<void> {
  const error = 'Cancelled: the webhook does not ask for this event any more, or what it tells was erased.';
  const outcome = { status: 'cancelled', nextTryAt: null, finishedAt: now } as const;
  await deliveries.recordTry(id, { at: now, durationMs: 0, status: null, error }, outcome);
}

/** A webhook with its new secret, and when the one before stops signing. */
export interface RotatedWebhook extends RegisteredWebhook {
  readonly previousSecretExpiresAt: Date;
}

/**
 * Gives the webhook a new secret. The one before stays valid for a day, and requests are signed with both. A second rotation
 * keeps the secret of the first as the one before: two rotations end a leaked secret at once.
 *
 * @throws DomainError `NOT_FOUND` unless the webhook belongs to the brand.
 */
export function rotateWebhookSecret(deps: Pick<ManageWebhooksDeps, 'storage' | 'secretBox' | 'random' | 'clock'>) {
  return async (brandId: number, webhookId: number, asBrand = false): Promise<RotatedWebhook> => {
    await requireWebhook(deps, brandId, webhookId, asBrand);
    const secret = createWebhookSecret(deps.random);
    const sealed = deps.secretBox.seal(secret, WEBHOOK_SECRET_CONTEXT);
    const previousSecretExpiresAt = new Date(deps.clock.now().getTime() + SECRET_OVERLAP_MS);
    const change = { secret: { sealed, previousUntil: previousSecretExpiresAt } };
    const webhook = await deps.storage.webhooks.update({ brandId, id: webhookId }, change);
    if (webhook === null) throw noWebhook(brandId, webhookId);
    return { webhook, secret, previousSecretExpiresAt };
  };
}

/** Deletes the webhook with the log of its deliveries. @throws DomainError `NOT_FOUND` */
export function deleteWebhook(deps: Pick<ManageWebhooksDeps, 'storage'>) {
  return async (brandId: number, webhookId: number, asBrand = false): Promise<void> => {
    await requireWebhook(deps, brandId, webhookId, asBrand);
    if (!(await deps.storage.webhooks.delete(brandId, webhookId))) throw noWebhook(brandId, webhookId);
  };
}

/**
 * All webhooks of a brand, by id; for a caller of the brand, without the operator's.
 * @throws DomainError `NOT_FOUND` when there is no such brand.
 */
export function listWebhooks(deps: Pick<ManageWebhooksDeps, 'storage'>) {
  return async (brandId: number, asBrand = false): Promise<readonly Webhook[]> => {
    await requireBrand(deps.storage.brands, brandId);
    const webhooks = await deps.storage.webhooks.list({ brandId });
    return asBrand ? webhooks.filter((one) => !isOperators(one)) : webhooks;
  };
}

/** @throws DomainError `NOT_FOUND` unless the webhook belongs to the brand, and is not the operator's if a brand asks. */
export async function requireWebhook(
  deps: Stores<'webhooks'>,
  brandId: number,
  webhookId: number,
  asBrand: boolean,
): Promise<Webhook> {
  const webhook = await deps.storage.webhooks.find(webhookId, brandId);
  if (webhook === null || (asBrand && isOperators(webhook))) throw noWebhook(brandId, webhookId);
  return webhook;
}

/** @throws DomainError `FORBIDDEN` */
function checkOwnEvents({ events }: Pick<Webhook, 'events'>): void {
  if (!isOperators({ events })) return;
  const names = ACCOUNT_EVENT_NAMES.join(', ');
  throw new DomainError('FORBIDDEN', `${names} is about creators, who belong to no brand: use an admin token for it.`);
}

function noWebhook(brandId: number, webhookId: number): DomainError {
  return new DomainError('NOT_FOUND', `Brand ${brandId} has no webhook ${webhookId}.`);
}
