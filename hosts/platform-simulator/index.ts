/**
 * Simulated platforms for trying Credence without the real ones (`@credence/simulator`):
 *
 *     const simulator = await createPlatformSimulator({ world: createScenario().world });
 *     createCredence({ platforms: { pacing: 'off', tiktok: { baseUrl: simulator.tiktokBaseUrl } } });
 */
export { SIMULATED_PROVIDER_KEY } from './data-provider/site.ts';
export { SIMULATED_APP } from './official/apps.ts';
export { createScenario, type Scenario, type ScenarioOptions } from './scenario.ts';
export { createPlatformSimulator, type PlatformSimulator, type PlatformSimulatorOptions } from './server.ts';
export { createWorld, type World } from './world.ts';
export { SIMULATED_YOUTUBE_KEY } from './youtube/site.ts';
