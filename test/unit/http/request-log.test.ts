import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type AnsweredRequest, logRequest } from '../../../plugins/http/request-log.ts';
import type { Route } from '../../../plugins/http/route.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { CLIENT } from './requests.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function logged(changes: Partial<AnsweredRequest>) {
  const logger = createRecordingLogger();
  const startedAt = performance.now();
  vi.advanceTimersByTime(1_234);
  const whole = { requestId: 'r', method: 'GET', route: null, status: 200, code: undefined, caller: null, startedAt };
  logRequest(logger, { ...whole, ...changes });
  return logger.lines[0];
}

it('says who got what from which row, and how long it took', () => {
  const route = { id: 'things' } as Route;
  const line = logged({ route, status: 404, code: 'NOT_FOUND', caller: CLIENT });
  const fields = { requestId: 'r', method: 'GET', route: 'things', status: 404, code: 'NOT_FOUND', caller: CLIENT.key };
  expect(line).toMatchObject({ level: 'info', fields: { ...fields, ms: 1_234 } });
  expect(Object.keys(logged({})?.fields ?? {})).toEqual(['requestId', 'method', 'route', 'status', 'ms']);
});

it('keeps probes that succeed out of the ordinary log', () => {
  const probe = { id: 'health', probe: true } as Route;
  const levels = [200, 399, 400, 503].map((status) => logged({ route: probe, status })?.level);
  expect(levels).toEqual(['debug', 'debug', 'info', 'info']);
});
