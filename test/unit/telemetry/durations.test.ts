import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createDurations } from '../../../adapters/telemetry/durations.ts';

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const facts = { metric: 'test_duration_seconds', help: 'A test.', label: 'route' };
const oneOf = (...values: string[]) => fc.constantFrom(...values);
const observation = fc.record({
  name: oneOf('getCampaign', 'listCampaigns', 'a "quoted" \\ name\nof two lines'),
  outcome: oneOf('200', '404', 'NOT_FOUND'),
  seconds: fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constantFrom(...buckets)),
});

it('writes what a histogram of prom-client writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(observation, { maxLength: 30 }), async (observations) => {
      const registry = new Registry();
      const { metric: name, help, label } = facts;
      const peer = new Histogram({ name, help, labelNames: [label, 'outcome'], buckets, registers: [registry] });
      const durations = createDurations(facts);
      for (const { name: route, outcome, seconds } of observations) {
        peer.observe({ route, outcome }, seconds);
        durations.add(route, outcome, seconds);
      }
      const lines = (text: string) => text.split('\n').sort();
      expect(lines(durations.text())).toEqual(lines(await registry.metrics()));
    }),
    { numRuns: 50 },
  );
});
