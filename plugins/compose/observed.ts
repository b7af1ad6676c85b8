/** The parts of an instance as telemetry sees them: the same port around each. */
import type { ReadCounter } from '../../core/platforms/count-reads.ts';
import type { JobHandler, JobHandlers, JobRun } from '../../core/ports/job-queue.ts';
import type { Platform } from '../../core/ports/platform.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';
import type { WebhookTransport } from '../../core/ports/webhook-transport.ts';
import type { ZkProver } from '../../core/ports/zk-prover.ts';
import type { Prove } from '../../core/web-proof/prove.ts';

export function observedHandlers(handlers: JobHandlers, telemetry: Telemetry): JobHandlers {
  const observed = Object.entries(handlers).map(([name, handler]) => {
    // Sound because it gets what the handler of the same type would have got.
    const { run, ...rest } = typeof handler === 'function' ? { run: handler as JobRun } : (handler as JobHandler);
    const around: JobRun = (payload, context) => telemetry.observe({ kind: 'job', name }, () => run(payload, context));
    return [name, 'onDeadLetter' in rest ? { ...rest, run: around } : around];
  });
  return Object.fromEntries(observed) as JobHandlers;
}

export function observedPlatform(
  platform: Platform,
  telemetry: Telemetry,
  counter: Pick<ReadCounter, 'counted'>,
): Platform {
  const call = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    telemetry.observe({ kind: 'platform', name: `${platform.name}.${name}` }, () =>
      counter.counted(platform.name, work),
    );
  return {
    name: platform.name,
    supports: platform.supports,
    resolveShortLink: (...args) => call('resolveShortLink', () => platform.resolveShortLink(...args)),
    getPost: (...args) => call('getPost', () => platform.getPost(...args)),
    getComments: (...args) => call('getComments', () => platform.getComments(...args)),
    getReplies: (...args) => call('getReplies', () => platform.getReplies(...args)),
    getLikers: (...args) => call('getLikers', () => platform.getLikers(...args)),
    getProfile: (...args) => call('getProfile', () => platform.getProfile(...args)),
    ...(platform.ways === undefined
      ? {}
      : {
          ways: platform.ways.map((way) => ({ ...way, platform: observedPlatform(way.platform, telemetry, counter) })),
        }),
    sessionStates: () => platform.sessionStates?.() ?? [],
    credits: () => platform.credits?.() ?? null,
    close: () => platform.close(),
  };
}

export function observedTransport(transport: WebhookTransport, telemetry: Telemetry): WebhookTransport {
  return {
    send: (request) =>
      telemetry.observe(
        { kind: 'delivery', name: 'http' },
        () => transport.send(request),
        (outcome) => (outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : outcome.reason),
      ),
    close: () => transport.close(),
  };
}

export function observedProve(prove: Prove, telemetry: Telemetry): Prove {
  return (...args) => telemetry.observe({ kind: 'proof', name: 'prove' }, () => prove(...args));
}

export function observedProver(prover: ZkProver, telemetry: Telemetry): ZkProver {
  return {
    guestId: () => prover.guestId(),
    prove: (...args) => telemetry.observe({ kind: 'proof', name: 'compress' }, () => prover.prove(...args)),
    ...(prover.warmUp === undefined ? {} : { warmUp: () => prover.warmUp?.() ?? Promise.resolve() }),
    close: () => prover.close(),
  };
}
