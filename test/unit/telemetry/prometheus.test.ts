import fc from 'fast-check';
import { Counter, Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { CONTENT_TYPE, createRegistry } from '../../../adapters/telemetry/prometheus.ts';

const buckets = [0.005, 0.1, 1, 60];
const observation = fc.record({
  route: fc.constantFrom('getCampaign', 'listCampaigns', 'a "quoted" \\ name\nof two lines'),
  outcome: fc.constantFrom('200', '404', 'NOT_FOUND'),
  seconds: fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constantFrom(...buckets)),
});

it('writes what prom-client writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(observation, { maxLength: 30 }), async (observations) => {
      const theirs = new Registry();
      const labels = { help: 'A test.', labelNames: ['route', 'outcome'], registers: [theirs] };
      const duration = new Histogram({ ...labels, name: 'duration_seconds', buckets });
      const total = new Counter({ ...labels, name: 'seconds_total' });
      const ours = createRegistry();
      const ownDuration = ours.histogram('duration_seconds', 'A test.', buckets);
      const ownTotal = ours.counter('seconds_total', 'A test.');
      for (const { seconds, ...labels } of observations) {
        duration.observe(labels, seconds);
        ownDuration.observe(labels, seconds);
        total.inc(labels, seconds);
        ownTotal.add(labels, seconds);
      }
      const lines = (text: string) => text.split('\n').sort();
      expect(lines(ours.text())).toEqual(lines(await theirs.metrics()));
      expect(CONTENT_TYPE).toBe(theirs.contentType);
    }),
    { numRuns: 50 },
  );
});
