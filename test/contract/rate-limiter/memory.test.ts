import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import { rateLimiterContract } from './suite.ts';

rateLimiterContract({ name: 'memory', open: async () => createMemoryRateLimiter() });
