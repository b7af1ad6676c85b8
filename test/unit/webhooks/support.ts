/** A storage with one brand, and what the webhook use cases need besides. */
import { createEgressGuard } from '../../../adapters/egress-guard/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { type RegisteredWebhook, registerWebhook } from '../../../core/engagement/webhooks/manage-webhooks.ts';
import type { AttemptEvent, EventName } from '../../../core/engagement/webhooks/outbox.ts';
import type { EgressGuard } from '../../../core/ports/egress.ts';
import type { JobQueue, NewJob } from '../../../core/ports/job-queue.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';

export interface WebhookWorld {
  readonly storage: Storage;
  readonly brandId: number;
  readonly otherBrandId: number;
  readonly clock: { now(): Date; advance(milliseconds: number): void };
  readonly queue: JobQueue & { readonly jobs: NewJob[] };
  readonly deps: {
    readonly storage: Storage;
    readonly secretBox: ReturnType<typeof createSecretBox>;
    readonly egress: EgressGuard;
    readonly random: typeof systemRandom;
    readonly clock: WebhookWorld['clock'];
    readonly queue: WebhookWorld['queue'];
  };
  register(events?: readonly EventName[], url?: string): Promise<RegisteredWebhook>;
}

export async function createWebhookWorld(): Promise<WebhookWorld> {
  const storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  let now = new Date('2026-11-01T09:30:00Z').getTime();
  const clock = {
    now: () => new Date(now),
    monotonicMs: () => now,
    advance(milliseconds: number) {
      now += milliseconds;
    },
  };
  const brand = async (slug: string) =>
    (await storage.brands.create({ name: slug, slug, logoUrl: null, createdAt: clock.now() }))?.id ?? 0;
  const brandId = await brand('one');
  const otherBrandId = await brand('other');
  const jobs: NewJob[] = [];
  const queue = {
    jobs,
    enqueue: async (added: readonly NewJob[]) => {
      for (const job of added) if (!jobs.some(({ key }) => key === job.key)) jobs.push(job);
    },
    start: async () => {},
    stop: async () => {},
    stats: async () => ({ queued: jobs.length, running: 0, dead: 0 }),
  };
  const secretBox = createSecretBox(new Uint8Array(32).fill(1));
  const deps = {
    storage,
    secretBox,
    egress: createEgressGuard(),
    random: systemRandom,
    clock,
    queue,
  };
  return {
    storage,
    brandId,
    otherBrandId,
    clock,
    queue,
    deps,
    register: (events = ['creator.verified'], url = 'https://hooks.example.com/in') =>
      registerWebhook(deps)({ brandId, url, events, description: null }),
  };
}

export function sampleEvent(brandId: number, changes: Partial<AttemptEvent> = {}): AttemptEvent {
  return {
    event: 'creator.verified',
    timestamp: new Date('2026-11-01T09:29:59Z'),
    brandId,
    data: {
      challengeId: 1,
      userId: 2,
      username: 'anna',
      platform: 'instagram',
      campaignTitle: 'Autumn',
      attemptId: 3,
      commentText: 'great',
    },
    ...changes,
  };
}
