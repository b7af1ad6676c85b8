/** The thread that computes groups of claim trees. */
import { parentPort } from 'node:worker_threads';
import { groupHashesSteps } from '../../core/web-proof/attested-values/claim-groups.ts';
import { preparePoseidon } from '../../core/web-proof/attested-values/poseidon.ts';
import { atOnce } from '../../core/web-proof/attested-values/steps.ts';
import { type GroupsReply, type GroupsTask, READY, unpackValues } from './messages.ts';

atOnce(preparePoseidon());

parentPort?.on('message', ({ seed, first, values }: GroupsTask) => {
  parentPort?.postMessage(atOnce(groupHashesSteps(seed, first, unpackValues(values))) satisfies GroupsReply);
});
parentPort?.postMessage(READY);
